/**
 * Phrases that a native engineer would not write, with what to write instead. The lint rejects them
 * in comments, documents, emails, test titles, and other strings of more than one word.
 */
export const BANNED_PHRASES = [
  [/whoever|nobody|somebody|everybody|anybody|who (?:needs|runs|comes)/, 'client, owner, operator'],
  [/of before/, 'previous, earlier, existing'],
  [/so many|so long/, 'up to n, for n seconds'],
  [/told (?:of|by)/, 'notifies, logs, shows'],
  [/as asked|asks? ahead|asked for ahead/, 'requested, prefetches'],
  [/(?:come|comes|came|coming) by/, 'runs, gets'],
  [/(?:hold|holds|held|holding) against/, 'checks against, compares with'],
  [/(?:take|takes|took|taken|taking) along/, 'includes, copies'],
  [/(?:leave|leaves|leaving|left) out/, 'omits, skips, excludes'],
  [/(?:stands?|stood)(?! for| in for)|lies|lain/, 'is, is in'],
  [/of (?:its|their|your|our) own(?! [a-z])/, 'its own link'],
  [/(?:be|is|are|was|were) had/, 'is available'],
  [/gets? anywhere|of all others|all the room|of nobody/, 'the actor and the effect'],
  [/anew/, 'again'],
  [/whatever/, 'regardless of, any'],
  [/(?:answer|answers|answered) with/, 'returns'],
  [/(?:know|knows|learn|learns|learned) of/, 'knows about, detects'],
];

/** Words that must not begin a sentence in a comment or document. */
export const BANNED_OPENINGS = /What|Who|Whoever|Whatever|Whose|Of|Those|As/;
