// An evaluation with assertions by promptfoo: node evaluation.mjs UMF MODELS
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {generated, models, startServer, runTests} from './server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const {server, baseURL} = await startServer('--preset', 'umf-math');
const expected = generated('--model', `${models}/tiny-dream`, '--length', '16', 'Hello Ann');

await runTests(server, {
  async 'assertions hold and fail as they should'() {
    const provider = name => (
        {id: `openai:chat:${name}`, config: {apiBaseUrl: baseURL, apiKey: 'none', max_tokens: 16}});
    writeFileSync(join(here, 'evaluation.json'), JSON.stringify({
      prompts: ['Hello {{name}}'],
      providers: [provider('dream'), provider('umf-math')],
      tests: [{vars: {name: 'Ann'}, assert: [{type: 'equals', value: expected}]}],
    }));
    const out = join(here, 'results.json');
    const promptfoo = join(here, 'node_modules/promptfoo/dist/src/entrypoint.js');
    await promisify(execFile)(process.execPath, [
      promptfoo, 'eval', '--config', join(here, 'evaluation.json'), '--output', out, '--no-cache', '--no-table',
      '--no-progress-bar',
    ], {
      env: {...process.env, PROMPTFOO_CONFIG_DIR: join(here, 'state'), PROMPTFOO_DISABLE_TELEMETRY: '1',
            PROMPTFOO_DISABLE_UPDATE: '1', PROMPTFOO_FAILED_TEST_EXIT_CODE: '0'},
    });
    const results = JSON.parse(readFileSync(out)).results.results;
    assert.equal(results.length, 2);
    const [dream, preset] = results;
    assert.equal(dream.response.output, expected);
    assert.ok(dream.success);
    assert.equal(preset.error?.includes('400') ?? false, false, 'promptfoo sends a temperature with every request');
    assert.equal(typeof preset.response.output, 'string');
  },
});
