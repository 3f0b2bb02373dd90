// LangChain's model class, which sends a temperature where one is set: node langchain.mjs UMF MODELS
import assert from 'node:assert/strict';
import {ChatOpenAI} from '@langchain/openai';
import {generated, models, startServer, runTests} from './server.mjs';

const {server, baseURL} = await startServer('--preset', 'umf-math');
const model = (name, more = {}) => new ChatOpenAI(
    {model: name, apiKey: 'none', maxTokens: 24, maxRetries: 0, configuration: {baseURL}, ...more});
const messages = [['system', 'Be brief.'], ['user', 'Hello']];
const expected = generated('--model', `${models}/tiny-dream`, '--length', '24', '--system', 'Be brief.', 'Hello');

await runTests(server, {
  async 'invoke'() {
    const reply = await model('dream').invoke(messages);
    assert.equal(reply.content, expected);
    assert.ok(reply.usage_metadata.output_tokens <= 24);
  },
  async 'stream'() {
    let text = '';
    for await (const chunk of await model('dream').stream(messages)) text += chunk.content;
    assert.equal(text, expected);
  },
  async 'batch'() {
    const replies = await model('dream').batch([messages, messages]);
    assert.deepEqual(replies.map(reply => reply.content), [expected, expected]);
  },
  async 'responses'() {
    const reply = await model('dream', {useResponsesApi: true}).invoke(messages);
    assert.equal(reply.text, expected);
  },
  async 'a temperature for a preset'() {
    assert.equal(typeof (await model('umf-math', {temperature: 0.5}).invoke(messages)).content, 'string');
  },
  async 'stop strings'() {
    const stop = Array.from({length: 16}, (_, i) => `stop-${i}`);
    assert.equal((await model('dream', {stop}).invoke(messages)).content, expected);
  },
});
