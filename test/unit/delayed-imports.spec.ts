import { runInNewContext } from 'node:vm';

interface Delayed {
  readonly content: string;
  readonly requests: readonly string[];
}

type DelayImports = (content: string, namesOf: (request: string) => string[]) => Delayed;

const { delayImports } = jest.requireActual<{ delayImports: DelayImports }>(
  '../../scripts/delayed-imports.cjs',
);

const MODULES: Record<string, Record<string, unknown>> = {
  './shapes': {
    Circle: class {
      readonly sides = 0;
    },
    sizes: [1, 2],
    default: 'square',
  },
  './word.errors': { WordError: Error },
  './words': { first: 'one', second: 'two', default: 'three' },
};

/** Runs a script; `requested` contains the modules loaded so far. */
function run(lines: string[]) {
  const source = [`Object.defineProperty(exports, "__esModule", { value: true });`, ...lines];
  const delayed = delayImports(source.join('\n'), (request) => Object.keys(MODULES[request] ?? {}));
  const requested: string[] = [];
  const exports: Record<string, unknown> = {};
  const require = (request: string) => {
    requested.push(request);
    return MODULES[request];
  };
  runInNewContext(delayed.content, { exports, require });
  return { ...delayed, exports, requested };
}

describe('delayImports', () => {
  it('loads a module once, at its first use', () => {
    const { exports, requested, requests } = run([
      'const _shapes = require("./shapes");',
      'exports.make = () => new _shapes.Circle().sides;',
      'exports.list = () => [..._shapes.sizes, exports._shapes];',
    ]);
    expect(requests).toEqual(['./shapes']);
    expect(requested).toEqual([]);
    const { make, list } = exports as Record<string, () => unknown>;
    expect(make?.()).toBe(0);
    expect(Array.from(list?.() as number[])).toEqual([1, 2, undefined]);
    expect(requested).toEqual(['./shapes']);
  });

  it('loads a module at once if its importer uses it at once', () => {
    const { exports, requested } = run([
      'const shapes_1 = require("./shapes");',
      'class Ring extends shapes_1.Circle {}',
      'exports.Ring = Ring;',
    ]);
    expect(requested).toEqual(['./shapes']);
    expect(exports).toHaveProperty('Ring');
  });

  it('loads files of errors at once, because they register themselves', () => {
    const { requested, requests } = run([
      'const _worderrors = require("./word.errors");',
      'exports.make = () => new _worderrors.WordError();',
    ]);
    expect(requests).toEqual([]);
    expect(requested).toEqual(['./word.errors']);
  });

  it('keeps the helpers of default imports', () => {
    const { exports, requested } = run([
      'const _words = /*#__PURE__*/ _interop(require("./words"));',
      'function _interop(found) { return { default: found.default }; }',
      'exports.word = () => _words.default;',
    ]);
    expect(requested).toEqual([]);
    expect((exports.word as () => unknown)()).toBe('three');
  });

  it('re-exports all names but the default, without loading the module', () => {
    const { exports, requested, requests } = run([
      'exports.first = "own";',
      '__exportStar(require("./words"), exports);',
    ]);
    expect(requests).toEqual(['./words']);
    expect(Object.keys(exports)).toEqual(['first', 'second']);
    expect(exports.first).toBe('own');
    expect(requested).toEqual([]);
    expect(exports.second).toBe('two');
  });

  it('loads an exported module at its first use', () => {
    const { exports, requested, requests } = run([
      'exports.words = void 0;',
      'exports.words = Object(require("./words"));',
    ]);
    expect(requests).toEqual(['./words']);
    expect(requested).toEqual([]);
    expect(exports.words).toBe(exports.words);
    expect(exports.words).toHaveProperty('first', 'one');
    expect(requested).toEqual(['./words']);
  });

  it('keeps the number of lines, and imports inside functions', () => {
    const lines = ['const _a = require("./words");', 'if (true) {', '  require("./shapes");', '}'];
    const { content, requested } = run(lines);
    expect(content.split('\n')).toHaveLength(lines.length + 1);
    expect(requested).toEqual(['./shapes']);
  });

  it.each([
    ['calls and reads', 'words.first(words("a").b, [...words.list], `${words.c}`)', true],
    ['other properties', 'other.words = words.first', true],
    ['comments', '// words\n/* words */ words.first', true],
    ['parameters', '(words) => words.first', false],
    ['variables', '() => { const words = 1; }', false],
    ['values', 'add(words)', false],
    ['properties', '({ words })', false],
    ['texts', 'words("words.first")', false],
    ['quotation marks in regular expressions', `words.cut(/'/, words.first('a'))`, false],
  ])('delays imports of other scripts only for calls and reads: %s', (_, use, isDelayed) => {
    const script = `const words = require('./words');\n${use};`;
    const { content, requests } = delayImports(script, () => []);
    expect(requests).toEqual(isDelayed ? ['./words'] : []);
    expect(content === script).toBe(!isDelayed);
    const comments = (use.match(/words \*|\/ words$/gm) ?? []).length;
    const uses = use.match(/(?<!other\.)\bwords/g) ?? [];
    const delayed = content.match(/\(words \?\?= require\('.\/words'\)\)/g) ?? [];
    expect(delayed).toHaveLength(isDelayed ? uses.length - comments : 0);
  });
});
