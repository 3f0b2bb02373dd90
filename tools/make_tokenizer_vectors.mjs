// Makes the tokenizer test data: small tokenizers of our own and, for generated texts, the ids that the
// `tokenizers` library (npm, native) gives for them and for Qwen2.5's tokenizer.json.
//
//   npm install --prefix DEPS tokenizers
//   node tools/make_tokenizer_vectors.mjs DEPS QWEN2_5_DIRECTORY OUT [COUNT]
//
// The tests read tests/data/tokenizer, or the folder in UMF_TOKENIZER_VECTORS for a longer run.
import {createRequire} from 'node:module';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

const [deps, qwen, out, count = '400'] = process.argv.slice(2);
if (!out) {
  console.error('usage: make_tokenizer_vectors.mjs DEPS QWEN2_5_DIRECTORY OUT [COUNT]');
  process.exit(2);
}
const {Tokenizer} = createRequire(resolve(deps) + '/')('tokenizers');

// Texts -------------------------------------------------------------------------------------------

let state = 20240917;
const random = (n) => {  // a whole number below n; a fixed sequence, so that the data can be made again
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = (list) => list[random(list.length)];

const words = {
  latin: ['the', 'a', 'Model', 'unmask', 'tokens', 'RANDOM', 'iPhone', 'x', 'straße', 'naïve', 'café',
          'Zażółć', 'Ångström', 'œuvre', 'Việt', 'İstanbul', 'ﬁne', 'ǅ', 'dž'],
  decomposed: ['cafe\u0301', 'nai\u0308ve', 'A\u030Angstro\u0308m', 'e\u0323\u0302', 'e\u0302\u0323',
               '\u0301start', 'q\u0307\u0323', '\u1112\u1161\u11AB', '\u304B\u3099', '\u212B',
               '\u2126', '\u0958', '\uFB1D', '\u0344', '\u{1D15E}', '\u0BC7\u0BBE'],
  other: ['Привет', 'йод', 'ёлка', 'ΣΊΣΥΦΟΣ', 'γειά', '你好', '世界', '模型', '語', 'こんにちは', 'ガギグ',
          'カタカナ', '한국어', '각', 'שָׁלוֹם', 'مَرْحَبًا', 'नमस्ते', 'क्षि', 'สวัสดี', 'ပြည်', 'ភាសា',
          'ქართული', 'հայ', '𝔘𝔫𝔦', '𐍈', 'ʻokina', 'ˈaɪ'],
  number: ['0', '7', '42', '1234567', '3.14159', '1e-9', '٣٤', '१२', '½', '²', 'Ⅷ', '①', '１２３', '𝟙𝟚', '五'],
  emoji: ['😀', '👍🏽', '👩‍👩‍👧', '🇩🇪', '☃️', '✈', '🧑‍🚀', '❤️‍🔥'],
  punctuation: ['.', ',', '...', '?!', '(', ')', '[]', '{}', '->', '==', '<=', '#', '//', '/*', '*/', '"',
                '\'', '`', '```', '—', '“', '”', '。', '，', '€', '$', '_', '__', '@', '\\', '|', '~', '^',
                '<', '>', '<|', '|>', '+=', '&&', '§', '©', '™', '\u0300', '\u20DD', '·'],
  contraction: ['\'s', '\'S', '\'t', '\'re', '\'RE', '\'ve', '\'Ve', '\'m', '\'ll', '\'LL', '\'d', '\'D',
                '\'\u017F', '\u2019s', '\'sx', '\'l', '\'v'],
  space: [' ', '  ', '   ', '        ', '\t', '\t\t', '\n', '\n\n', '\n\n\n', '\r\n', '\r\n\r\n', '\r',
          ' \n', '\n ', ' \n \n', '\t\n', '\u00A0', '\u3000', '\u2003', '\u2028', '\u0085', '\v', '\f',
          '\u200B', '\u180E', '\u202F', ' \u00A0 ', '\u001C', '\uFEFF'],
  odd: ['\0', '\u0001', '\u007F', '\u00AD', '\u200D', '\u200C', '\uE000', '\uFFFD', '\uFFFE', '\u0378',
        '\u{E0041}', '\u{10FFFF}', '\u{F0000}', '\u2060', '\u061C'],
  added: ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>', '<|fim_pad|>',
          '<|im_', '<|im_end|', '<a>', '<a><b>', '<a><', '<b>', '[L]', '[R]', '[LR]', 'word', 'sword',
          'words', 'word_', '[raw\u0301]', '[ra\u0301w]', '[r\u00E1w]', '[cooke\u0301d]',
          '[cook\u00E9d]', '<|mdm_mask|>', '<|role|>', '<[PAD\u2581TOKEN]>', '\u00E9!', 'e\u0301!'],
};
const lines = [
  'def f(x):\n    return x + 1\n', 'for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n',
  'import numpy as np\r\nx = np.zeros((3, 4))\r\n', 'if not stack or stack[-1] != ")":\n',
  '<div class="a">&nbsp;</div>\n', '    """Doc string."""\n\n\n', 'SELECT * FROM t WHERE id=1;--\n',
  'assert f([1,2,3]) == 6, "sum"\n', '#include <vector>\n', 'x_1 += y**2  # note\n',
  '{"key": [1, 2.5, null]}', 'http://example.org/?q=1&r=2#top', '$\\frac{a}{b} \\ge \\sqrt{2}$',
  'I\'ll say it\'s what we\'ve DON\'T', '    \n        \n    ', 'a\n\n\n\nb', 'end.\n\n', '!!!\n\n???\r\n',
];

function make_text() {
  const kind = random(10);
  if (kind === 0) return pick(lines) + pick(lines);
  if (kind === 1) {  // any characters; only ranges that have been stable for many Unicode versions
    const ranges = [[0x20, 0x7E], [0xA0, 0x2FF], [0x300, 0x36F], [0x370, 0x377], [0x400, 0x52F],
                    [0x5D0, 0x5EA], [0x621, 0x65F], [0x905, 0x939], [0xAC00, 0xD7A3], [0x1100, 0x11FF],
                    [0x2000, 0x206F], [0x2100, 0x218B], [0x2460, 0x24FF], [0x3041, 0x3096],
                    [0x4E00, 0x9FA5], [0x1F600, 0x1F64F], [0x1D400, 0x1D454], [0, 0x1F]];
    return Array.from({length: 1 + random(12)}, () => {
      const [low, high] = pick(ranges);
      return String.fromCodePoint(low + random(high - low + 1));
    }).join('');
  }
  const kinds = kind < 4 ? ['latin', 'space', 'punctuation', 'contraction', 'number']
              : kind < 6 ? ['added', 'added', 'latin', 'space'] : Object.keys(words);
  const parts = Array.from({length: 1 + random(8)}, () => {
    const part = pick(words[pick(kinds)]);
    return random(3) === 0 ? ' ' + part : part;
  });
  return parts.join('');
}

// Tokenizers --------------------------------------------------------------------------------------

const alphabet = (() => {  // byte -> character
  const chars = [];
  let next = 0x100;
  for (let b = 0; b < 256; ++b) {
    const itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b !== 0xAD);
    chars.push(String.fromCharCode(itself ? b : next++));
  }
  return chars;
})();

// Plain BPE training on pieces of our own words: enough that merges compete.
function train(merge_count) {
  const pieces = new Map();
  const sample = [...Object.values(words).flat(), ...lines, ...lines.map((l) => l.toLowerCase())];
  for (const text of sample) {
    for (const piece of text.match(/ ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+/gu) ?? []) {
      const key = [...new TextEncoder().encode(piece)].map((b) => alphabet[b]).join('\0');
      pieces.set(key, (pieces.get(key) ?? 0) + 1 + piece.length);
    }
  }
  let corpus = [...pieces].map(([key, n]) => [key.split('\0'), n]);
  const merges = [];
  while (merges.length < merge_count) {
    const pairs = new Map();
    for (const [symbols, n] of corpus) {
      for (let i = 0; i + 1 < symbols.length; ++i) {
        const key = symbols[i] + '\0' + symbols[i + 1];
        pairs.set(key, (pairs.get(key) ?? 0) + n);
      }
    }
    if (pairs.size === 0) break;
    const [best] = [...pairs].reduce((a, b) => (b[1] > a[1] || (b[1] === a[1] && b[0] < a[0]) ? b : a));
    const [left, right] = best.split('\0');
    merges.push([left, right]);
    for (const [symbols] of corpus) {
      for (let i = 0; i + 1 < symbols.length; ++i) {
        if (symbols[i] === left && symbols[i + 1] === right) symbols.splice(i, 2, left + right);
      }
    }
  }
  return merges;
}

const split = (regex, more = {}) =>
    ({type: 'Split', pattern: {Regex: regex}, behavior: 'Isolated', invert: false, ...more});
const byte_level = (use_regex) =>
    ({type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex});
const added = (id, content, more = {}) =>
    ({id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more});

function make_tokenizer({merges, pairs, pre_tokenizer, normalizer = null, added_tokens = [], leading = [],
                         ignore_merges = false, extra = []}) {
  const vocab = {};
  let next = 0;
  for (const text of [...leading, ...alphabet]) vocab[text] = next++;
  for (const [left, right] of merges) vocab[left + right] ??= next++;
  for (const text of extra) vocab[text] ??= next++;
  for (const token of added_tokens) token.id ??= vocab[token.content] ?? next++;
  return {
    version: '1.0', truncation: null, padding: null, added_tokens, normalizer, pre_tokenizer,
    post_processor: byte_level(false), decoder: byte_level(true),
    model: {type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null,
            end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges, vocab,
            merges: pairs ? merges : merges.map(([a, b]) => `${a} ${b}`)},
  };
}

const llada_regex = String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`;
const seed_regex = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+`;
const merges = train(300);
const seed_specials = ['<[PAD\u2581TOKEN]>', '<|endoftext|>'];
const tokenizers = {
  llada_like: make_tokenizer({
    merges, pre_tokenizer: {type: 'Sequence', pretokenizers: [split(llada_regex), byte_level(false)]},
    added_tokens: [added(undefined, '<|mdm_mask|>'), added(undefined, '<|endoftext|>'), added(undefined, '<|role|>')]}),
  seed_coder_like: make_tokenizer({
    merges, pairs: true, leading: seed_specials, ignore_merges: true, extra: ['Ġwordy', 'sword', 'ĊĊĊĊĊ'],
    pre_tokenizer: {type: 'Sequence', pretokenizers: [split(seed_regex, {behavior: 'Removed', invert: true}), byte_level(false)]},
    added_tokens: seed_specials.map((text) => added(undefined, text))}),
  gpt2_like: make_tokenizer({
    merges, pairs: true, pre_tokenizer: byte_level(true),
    normalizer: {type: 'Sequence', normalizers: [{type: 'NFC'}]},
    added_tokens: [
      added(undefined, '<a>'), added(undefined, '<a><b>', {special: false}), added(undefined, '[L]', {lstrip: true}),
      added(undefined, '[R]', {rstrip: true, special: false}), added(undefined, '[LR]', {lstrip: true, rstrip: true}),
      added(undefined, 'word', {single_word: true, special: false}), added(undefined, '[ra\u0301w]'),
      added(undefined, '[cooke\u0301d]', {normalized: true, special: false}),
      added(undefined, '\u00E9!', {normalized: true, special: false})]}),
};

// Vectors -----------------------------------------------------------------------------------------

mkdirSync(out, {recursive: true});
const oracles = {qwen2_5: Tokenizer.fromFile(join(qwen, 'tokenizer.json'))};
for (const [name, file] of Object.entries(tokenizers)) {
  const text = JSON.stringify(file);
  writeFileSync(join(out, `${name}.json`), text + '\n');
  oracles[name] = Tokenizer.fromString(text);
}
const rows = [];
for (const text of new Set(Array.from({length: Number(count)}, make_text))) {
  const row = {text};
  for (const [name, oracle] of Object.entries(oracles)) {
    row[name] = (await oracle.encode(text, null, {addSpecialTokens: false})).getIds();
  }
  rows.push(JSON.stringify(row));
}
writeFileSync(join(out, 'vectors.jsonl'), rows.join('\n') + '\n');
console.log(`${rows.length} texts, ${Object.keys(oracles).join(', ')}`);
