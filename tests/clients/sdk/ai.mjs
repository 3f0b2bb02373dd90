// The AI SDK with its defaults (which ask /v1/responses), and with chats: node ai.mjs UMF MODELS
import assert from 'node:assert/strict';
import {createOpenAI} from '@ai-sdk/openai';
import {generateText, streamText} from 'ai';
import {generated, models, startServer, runTests} from './server.mjs';

const {server, baseURL} = await startServer('--preset', 'umf-math');
const provider = createOpenAI({apiKey: 'none', baseURL});
const expected = generated('--model', `${models}/tiny-dream`, '--length', '24', '--system', 'Be brief.', 'Hello');
const asked = {system: 'Be brief.', prompt: 'Hello', maxOutputTokens: 24, maxRetries: 0};

await runTests(server, {
  async 'text by the default'() {
    const {text, usage} = await generateText({model: provider('dream'), ...asked});
    assert.equal(text, expected);
    assert.ok(usage.outputTokens <= 24);
  },
  async 'a stream by the default'() {
    let text = '';
    for await (const piece of streamText({model: provider('dream'), ...asked}).textStream) text += piece;
    assert.equal(text, expected);
  },
  async 'chats'() {
    assert.equal((await generateText({model: provider.chat('dream'), ...asked})).text, expected);
    let text = '';
    for await (const piece of streamText({model: provider.chat('dream'), ...asked}).textStream) text += piece;
    assert.equal(text, expected);
  },
  async 'a conversation'() {
    const messages = [{role: 'user', content: 'Hello'}, {role: 'assistant', content: 'Hi'},
                      {role: 'user', content: [{type: 'text', text: 'Go on.'}]}];
    const {text} = await generateText({model: provider('dream'), messages, maxOutputTokens: 8, maxRetries: 0});
    assert.equal(typeof text, 'string');
  },
  async 'a preset takes a temperature'() {
    const {text} = await generateText({model: provider.chat('umf-math'), ...asked, temperature: 0.7});
    assert.equal(typeof text, 'string');
  },
});
