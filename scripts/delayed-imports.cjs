// Delays imports until their first use, because a starting process uses about half of the modules
// that its files import. Babel's option `lazy` does the same for a single file.

/** Files of errors are not delayed, because they register with the connections between processes. */
const IMPORT =
  /^(?:const|var) (\w+) = (?:\/\*#__PURE__\*\/ )?((?:\w+\()?require\(["']((?!.*\.errors["'])[^"']+)["']\)\)?);?$/gm;
/** Compilers choose names that occur nowhere else in the file. */
const CHOSEN_NAME = /^_\w+$|^\w+_\d+$/;
const NAMED_EXPORT = /^exports\.(\w+) = (\w+\(require\("([^"]+)"\)\));$/gm;
const REEXPORT = /^(?:\w+\.)?__exportStar\(require\("([^"]+)"\), exports\);$/gm;
/** Comments and strings, but not templates, because they may contain uses. */
const TEXT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gm;

/** Without a semicolon, a parenthesis in the next line would be a call. */
const STATEMENT_END = /[^\s;{,(=&|?:+!]\s*\n\s*$/;

/**
 * @param content a CommonJS script
 * @param namesOf returns the names that a request exports
 * @returns the script, with as many lines, and the requests that it delays
 */
function delayImports(content, namesOf) {
  const isCompiled = content.includes('__esModule');
  const imports = new Map();
  const requests = [];
  for (const [line, name, value, request] of content.matchAll(IMPORT)) {
    const isUnique = isCompiled && CHOSEN_NAME.test(name);
    if (!isOnlyRead(name, content.replace(line, ''), isUnique)) continue;
    imports.set(name, value);
    requests.push(request);
  }
  let delayed = imports.size === 0 ? content : delayUses(content, imports);
  if (isCompiled) {
    delayed = delayed
      .replace(NAMED_EXPORT, (line, name, value, request) => {
        requests.push(request);
        return `var delayed_${name}; ${getter(`"${name}"`, `delayed_${name} ??= ${value}`)}`;
      })
      .replace(REEXPORT, (line, request) => {
        requests.push(request);
        return reexport(request, namesOf(request));
      });
  }
  return { content: delayed, requests };
}

/** Whether an import is only called, and its properties read; not passed, assigned or shadowed. */
function isOnlyRead(name, content, isUnique) {
  // After a regular expression with a quotation mark, code may look like a text.
  const isInText = [...content.matchAll(TEXT)].some(
    ([text]) => (!text.startsWith('/') || /[`$]/.test(text)) && uses([name]).test(text),
  );
  if (isInText || isUnique) return !isInText;
  const code = content.replace(TEXT, '');
  return [...code.matchAll(uses([name]))].every(
    ({ index }) =>
      /[.(]/.test(code[index + name.length]) && !STATEMENT_END.test(code.slice(0, index)),
  );
}

/** A name after a dot is a property, unless the dot belongs to a spread. */
function uses(names) {
  return new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)(?:${names.join('|')})(?![\\w$])`, 'g');
}

function delayUses(content, imports) {
  const names = uses([...imports.keys()]);
  const parts = new RegExp(`${IMPORT.source}|${TEXT.source}|${names.source}`, 'gm');
  return content.replace(parts, (part, imported) => {
    if (imported !== undefined) return imports.has(imported) ? `var ${imported};` : part;
    return imports.has(part) ? `(${part} ??= ${imports.get(part)})` : part;
  });
}

function reexport(request, names) {
  const list = JSON.stringify(names.filter((name) => name !== 'default'));
  const define = getter('name', `require(${JSON.stringify(request)})[name]`);
  return `for (const name of ${list}) if (!Object.hasOwn(exports, name)) ${define}`;
}

function getter(key, value) {
  const property = `{ enumerable: true, configurable: false, get: () => ${value} }`;
  return `Object.defineProperty(exports, ${key}, ${property});`;
}

module.exports = { delayImports };
