// A running umf serve, and tests by name: what the programs beside this one share.
import {execFileSync, spawn} from 'node:child_process';

export const [umf, models] = process.argv.slice(2);

export async function startServer(...more) {
  const server = spawn(umf, ['serve', '--port', '0', '--quiet', '--model', `llada=${models}/tiny-llada`,
                             '--model', `dream=${models}/tiny-dream`, ...more],
                       {stdio: ['ignore', 'pipe', 'inherit']});
  const line = await new Promise((resolve, reject) => {
    server.stdout.once('data', data => resolve(String(data)));
    server.once('exit', () => reject(new Error('the server ended')));
  });
  return {server, baseURL: line.match(/http:\S+/)[0] + '/v1'};
}

export function generated(...more) {
  return JSON.parse(execFileSync(umf, ['generate', '--json', '--quiet', ...more])).answer;
}

// Runs all, tells each, ends the server and the process.
export async function runTests(server, tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok   ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack}`);
    }
  }
  server.kill('SIGTERM');
  await new Promise(resolve => server.once('exit', resolve));
  process.exit(failed === 0 ? 0 : 1);
}
