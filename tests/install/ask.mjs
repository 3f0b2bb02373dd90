// What OpenAI's client is answered: node ask.mjs ADDRESS MODEL QUESTION
import OpenAI from 'openai';

const [, , address, model, content] = process.argv;
const client = new OpenAI({apiKey: 'none', baseURL: `${address}/v1`});
const reply = await client.chat.completions.create({model, messages: [{role: 'user', content}]});
process.stdout.write(reply.choices[0].message.content);
