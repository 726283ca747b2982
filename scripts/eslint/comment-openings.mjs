/**
 * Rejects comments that begin with a relative pronoun, and functions described as "answering"
 * instead of returning.
 */
const OPENING = /(?:^\s*|[.:;!?]\s+)(What|Who|Whoever|Whatever|Whose|Of|Those|As)\s/gm;
const ANSWERS = /\banswers\s(?:whether|true|false|null|undefined|the|a|an|with)\b/gi;

/** Comment lines without markers, padded to keep positions. */
const plainText = (comment) =>
  comment.value
    .replace(/^[*\s]+/, (marker) => ' '.repeat(marker.length))
    .replace(/\n\s*\*/g, (marker) => '\n'.padEnd(marker.length));

/** Phrases that a native engineer would not write. */
const BANNED =
  /\b(?:whoever|nobody|somebody|everybody|of before|so many|so long|told of|comes by|takes along|held against)\b/gi;

export default {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening: 'A sentence begins with "{{word}}": use a verb phrase or a noun phrase.',
      banned: '"{{phrase}}" is not plain English: name the actor, use the verb of the field.',
      answers: 'A function "returns", a server "replies": not "answers".',
    },
  },
  create: (context) => ({
    Program() {
      const { sourceCode } = context;
      for (const comment of sourceCode.getAllComments()) {
        const text = plainText(comment);
        const report = (at, messageId, data = {}) => {
          const index = comment.range[0] + 2 + at;
          context.report({ loc: sourceCode.getLocFromIndex(index), messageId, data });
        };
        for (const { index, 0: found, 1: word } of text.matchAll(OPENING))
          report(index + found.indexOf(word), 'opening', { word });
        for (const { index } of text.matchAll(ANSWERS)) report(index, 'answers');
        for (const { index, 0: phrase } of text.matchAll(BANNED))
          report(index, 'banned', { phrase });
      }
    },
  }),
};
