// Delays imports of compiled modules until their first use, because a starting process uses about
// 60% of the modules that its files import. Babel's option `lazy` does the same for a single file.

/**
 * Compilers put imports at the top level, under names that occur nowhere else. Files of errors are
 * not delayed, because they register the errors with the connections between processes.
 */
const IMPORT =
  /^(?:const|var) (_\w+|\w+_\d+) = (?:\/\*#__PURE__\*\/ )?((?:\w+\()?require\("((?!.*\.errors")[^"]+)"\)\)?);$/;
const REEXPORT = /^(?:\w+\.)?__exportStar\(require\("([^"]+)"\), exports\);$/;

/**
 * @param content a script that a compiler has made from an ES module; other scripts stay as they are
 * @param namesOf returns the names that a request exports
 * @returns the script, with as many lines, and the requests that it delays
 */
function delayImports(content, namesOf) {
  if (!content.includes('__esModule')) return { content, requests: [] };
  const lines = content.split('\n');
  const imports = new Map();
  const requests = [];
  for (const line of lines) {
    const [, name, value, request] = IMPORT.exec(line) ?? [];
    if (name !== undefined) imports.set(name, value);
    const delayed = request ?? REEXPORT.exec(line)?.[1];
    if (delayed !== undefined) requests.push(delayed);
  }
  if (requests.length === 0) return { content, requests };
  // A name after a dot is a property, unless the dot belongs to a spread.
  const names = new RegExp(
    `(?<![\\w$]|(?<!\\.\\.)\\.)(?:${[...imports.keys()].join('|')})(?![\\w$])`,
    'g',
  );
  const use = (name) => `(${name} ??= ${imports.get(name)})`;
  const delay = (line) => {
    const [, name] = IMPORT.exec(line) ?? [];
    if (name !== undefined) return `var ${name};`;
    const [, request] = REEXPORT.exec(line) ?? [];
    if (request !== undefined) return reexport(request, namesOf(request));
    return imports.size === 0 ? line : line.replace(names, use);
  };
  return { content: lines.map(delay).join('\n'), requests };
}

function reexport(request, names) {
  const get = `() => require(${JSON.stringify(request)})[name]`;
  return (
    `for (const name of ${JSON.stringify(names.filter((name) => name !== 'default'))}) ` +
    'if (!Object.hasOwn(exports, name)) ' +
    `Object.defineProperty(exports, name, { enumerable: true, get: ${get} });`
  );
}

module.exports = { delayImports };
