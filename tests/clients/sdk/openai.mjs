// What people do with OpenAI's client, done with umf serve: node openai.mjs UMF MODELS
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import {generated, models, startServer, runTests} from './server.mjs';

const {server, baseURL} = await startServer('--api-key', 'secret');
const client = new OpenAI({apiKey: 'secret', baseURL, maxRetries: 0});
const messages = [{role: 'developer', content: 'Be brief.'}, {role: 'user', content: 'Hello'}];
const expected =
    generated('--model', `${models}/tiny-dream`, '--length', '24', '--seed', '7', '--system', 'Be brief.', 'Hello');

const tests = {
  async 'models are listed and found'() {
    const list = await client.models.list();
    assert.deepEqual(list.data.map(model => model.id), ['llada', 'dream']);
    assert.equal((await client.models.retrieve('dream')).id, 'dream');
  },
  async 'a chat is answered as by umf generate'() {
    const reply =
        await client.chat.completions.create({model: 'dream', messages, max_completion_tokens: 24, seed: 7});
    assert.equal(reply.choices[0].message.content, expected);
    assert.equal(reply.object, 'chat.completion');
    assert.ok(reply.usage.total_tokens > reply.usage.prompt_tokens);
    assert.ok(reply.usage.nfe <= 24);
  },
  async 'a stream gives the same text'() {
    const stream = await client.chat.completions.create({
      model: 'dream', messages, max_completion_tokens: 24, seed: 7, stream: true, stream_options: {include_usage: true},
    });
    let text = '', usage = null, finish = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta?.content ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, expected);
    assert.ok(['stop', 'length'].includes(finish));
    assert.ok(usage.completion_tokens <= 24);
  },
  async 'the stream helper puts the answer together'() {
    const runner = client.chat.completions.stream({model: 'dream', messages, max_completion_tokens: 24, seed: 7});
    assert.equal(await runner.finalContent(), expected);
  },
  async 'extra events pass by'() {
    const stream = await client.chat.completions.create({
      model: 'dream', messages, max_completion_tokens: 24, seed: 7, stream: true, umf: {stream_state: true},
    });
    let text = '', states = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta?.content ?? '';
      states += chunk.umf?.state ? 1 : 0;
    }
    assert.equal(text, expected);
    assert.ok(states > 0);
  },
  async 'several answers'() {
    const reply = await client.chat.completions.create(
        {model: 'dream', messages, max_completion_tokens: 24, seed: 7, n: 3, temperature: 1});
    assert.deepEqual(reply.choices.map(choice => choice.index), [0, 1, 2]);
  },
  async 'plain completions'() {
    const reply = await client.completions.create({model: 'llada', prompt: ['Once', 'Twice'], max_tokens: 8});
    assert.equal(reply.choices.length, 2);
    assert.equal(reply.choices[0].text,
                 generated('--model', `${models}/tiny-llada`, '--raw', '--length', '8', 'Once'));
  },
  async 'a search through the extra object'() {
    const reply = await client.chat.completions.create({
      model: 'llada', messages, max_completion_tokens: 16,
      umf: {search: 'unmaskfork', models: ['llada', 'dream'], budget: 64,
            reward: {type: 'text', checks: [{contains: 'a'}, {contains: 'zz'}]}},
    });
    assert.equal(reply.umf.search.nfe, 64);
    assert.equal(reply.usage.nfe, 64);
  },
  async 'a response is answered as a chat'() {
    const reply = await client.responses.create(
        {model: 'dream', instructions: 'Be brief.', input: 'Hello', max_output_tokens: 24, seed: 7});
    assert.equal(reply.output_text, expected);
    assert.ok(reply.usage.output_tokens <= 24);
  },
  async 'a response as a stream'() {
    const stream = await client.responses.create(
        {model: 'dream', instructions: 'Be brief.', input: 'Hello', max_output_tokens: 24, seed: 7, stream: true});
    let text = '', last = '';
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      last = event.type;
    }
    assert.equal(text, expected);
    assert.ok(['response.completed', 'response.incomplete'].includes(last));
    const helper = client.responses.stream(
        {model: 'dream', instructions: 'Be brief.', input: 'Hello', max_output_tokens: 24, seed: 7});
    assert.equal((await helper.finalResponse()).output_text, expected);
  },
  async 'JSON is searched for until it parses'() {
    const reply = await client.chat.completions.parse({
      model: 'llada', messages, max_completion_tokens: 1, response_format: {
        type: 'json_schema', json_schema: {name: 'digit', strict: true, schema: {type: 'integer'}}},
      umf: {search: 'best-of-n', actions: [{temperature: 3}], budget: 20000},
    });
    assert.equal(typeof JSON.parse(reply.choices[0].message.content), 'number');
    assert.equal(reply.choices[0].finish_reason, 'stop');
  },
  async 'JSON that was not found is told as cut'() {
    const reply = await client.chat.completions.create({
      model: 'llada', messages, max_completion_tokens: 8, response_format: {type: 'json_object'}, umf: {budget: 16}});
    assert.equal(reply.choices[0].finish_reason, 'length');
  },
  async 'errors are of the right kind'() {
    const chat = fields => client.chat.completions.create({model: 'llada', messages, ...fields});
    await assert.rejects(chat({model: 'gpt-4'}), OpenAI.NotFoundError);
    await assert.rejects(chat({temperature: -1}),
                         error => error instanceof OpenAI.BadRequestError && error.param === 'temperature');
    await assert.rejects(chat({tools: [{type: 'function', function: {name: 'f'}}]}), OpenAI.BadRequestError);
    await assert.rejects(new OpenAI({apiKey: 'wrong', baseURL, maxRetries: 0}).models.list(),
                         OpenAI.AuthenticationError);
  },
  async 'a client that aborts is gone'() {
    const abort = new AbortController();
    const stream = await client.chat.completions.create(
        {model: 'llada', messages, max_completion_tokens: 3000, stream: true}, {signal: abort.signal});
    abort.abort();
    await assert.rejects(async () => {
      for await (const chunk of stream) assert.ok(chunk);
      throw new OpenAI.APIUserAbortError();  // the iteration ends quietly in some versions
    });
    const reply = await client.chat.completions.create({model: 'llada', messages, max_completion_tokens: 4});
    assert.equal(reply.choices.length, 1);
  },
  async 'the client waits out a full queue by itself'() {
    const busy = await startServer('--queue', '0');
    try {
      const patient = new OpenAI({apiKey: 'none', baseURL: busy.baseURL, maxRetries: 20});
      const ask = () => patient.chat.completions.create({model: 'llada', messages, max_completion_tokens: 64});
      const replies = await Promise.all([ask(), ask(), ask()]);
      assert.equal(new Set(replies.map(reply => reply.choices[0].message.content)).size, 1);
    } finally {
      busy.server.kill('SIGTERM');
    }
  },
};

await runTests(server, tests);
