// `npm run openapi:lint`: checks the API document with the recommended rules of Redocly and
// Spectral. Without an argument it checks the document of the built service, else that of the file.
// Exits with 1 on any error, and on any warning that is not explained here.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const CLI = fileURLToPath(new URL('../dist/program/cli/openapi.js', import.meta.url));

/** Warnings about intended behaviour of the service. */
const EXPLAINED = [
  // Operations that only redirect have no 2xx.
  ['operation-2xx-response', /^#\/paths\/~1(?:oauth~1|stats\/post|\{code\})/],
  // `/stats/password` and `/stats/qr.svg` are statistics: fixed segments come first
  // (docs/contract.md#15), and `stats` is no alias.
  ['no-ambiguous-paths', /^#\/paths\/~1\{code\}~1(?:password|qr\.(?:svg|png))/],
];

const [file] = process.argv.slice(2);
const text = file === undefined ? built() : readFileSync(file, 'utf8');
const found = [...(await redocly(text)), ...(await spectralRules(text))];
const left = found.filter(({ rule, place, isError }) => isError || !isExplained(rule, place));
for (const { linter, rule, place, message } of left) {
  console.log(`${linter} ${rule} ${place}: ${message}`);
}
console.log(`${left.length} problems, ${found.length - left.length} explained warnings`);
process.exitCode = left.length === 0 ? 0 : 1;

function built() {
  const env = { ...process.env, BASE_URL: process.env.BASE_URL ?? 'https://go.test' };
  return execFileSync(process.execPath, [CLI], { encoding: 'utf8', maxBuffer: 2 ** 24, env });
}

function isExplained(rule, place) {
  return EXPLAINED.some(([name, where]) => name === rule && where.test(place));
}

async function redocly(source) {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, severity, message, location }) => ({
    linter: 'redocly',
    rule: ruleId,
    isError: severity === 'error',
    place: location[0]?.pointer ?? '',
    message,
  }));
}

async function spectralRules(source) {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const problems = await linter.run(JSON.parse(source));
  return problems.map(({ code, severity, message, path }) => ({
    linter: 'spectral',
    rule: String(code),
    isError: severity === 0,
    place: `#/${path.join('/')}`,
    message,
  }));
}
