import { BANNED_OPENINGS, BANNED_PHRASES } from './banned-phrases.mjs';

const OPENING = new RegExp(
  `(?:^\\s*(?:(?:[-*]|\\d+\\.) )?|[.:;!?]\\s+)(${BANNED_OPENINGS.source})\\s`,
  'gm',
);
const SAME = /^\s*The same\b/g;
const ANSWERS = /\banswers\s(?:whether|true|false|null|undefined|the|a|an|with)\b/gi;
/** Does not match inside paths, addresses and names. Phrases may continue on the next line. */
const PHRASES = BANNED_PHRASES.map(([{ source }, instead]) => {
  const phrase = source.replaceAll(' ', '\\s+(?:\\*\\s+)?');
  return [new RegExp(`(?<![\\w/@.-])(?:${phrase})(?![\\w@/-]|\\.\\w)`, 'gi'), instead];
});

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** Parses Markdown and plain text as prose, without code and addresses. */
export const proseParser = {
  meta: { name: 'prose' },
  parseForESLint: (text) => {
    const lines = text.split('\n');
    const end = { line: lines.length, column: lines.at(-1).length };
    const loc = { start: { line: 1, column: 0 }, end };
    const program = { type: 'Program', sourceType: 'module', body: [], tokens: [], comments: [] };
    const prose = text
      .replace(/^( *)```[^]*?^\1```/gm, blank)
      .replace(/`[^`]*`/g, blank)
      .replace(/\]\([^)\s]*\)/g, blank);
    return { ast: { ...program, range: [0, text.length], loc }, services: { prose } };
  },
};

/** Rejects text that is not plain English (scripts/eslint/banned-phrases.mjs). */
export default {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening: 'A sentence begins with "{{phrase}}": use a verb phrase or a noun phrase.',
      phrase: '"{{phrase}}" is not plain English. Instead: {{instead}}.',
      answers: 'A function "returns", a server "replies": not "answers".',
      same: 'A comment begins with "The same": write down what it does.',
    },
  },
  create: (context) => {
    const { sourceCode } = context;
    const report = (start, matches, messageId, instead) => {
      for (const match of matches) {
        const phrase = match[1] ?? match[0];
        const loc = sourceCode.getLocFromIndex(start + match.index + match[0].indexOf(phrase));
        context.report({ loc, messageId, data: { phrase: phrase.replace(/\s+/g, ' '), instead } });
      }
    };
    const checkPhrases = (text, start) => {
      for (const [pattern, instead] of PHRASES)
        report(start, text.matchAll(pattern), 'phrase', instead);
    };
    const checkString = (node) => {
      const text = sourceCode.getText(node);
      if (/\w\s+\w/.test(text)) checkPhrases(text, node.range[0]);
    };
    return {
      Program() {
        for (const { value, range } of sourceCode.getAllComments()) {
          const start = range[0] + '/*'.length;
          // Replaces comment markers with spaces, to keep positions.
          const text = value.replace(/^[*\s]+|\n\s*\*/g, blank);
          report(start, text.matchAll(OPENING), 'opening');
          report(start, text.matchAll(ANSWERS), 'answers');
          report(start, text.matchAll(SAME), 'same');
          checkPhrases(text, start);
        }
        const { prose = '' } = sourceCode.parserServices;
        report(0, prose.matchAll(OPENING), 'opening');
        checkPhrases(prose, 0);
      },
      'Literal:not([regex])': checkString,
      TemplateElement: checkString,
      JSXText: checkString,
    };
  },
};
