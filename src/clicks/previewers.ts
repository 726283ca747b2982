/** A word for each link previewer. Signal sends WhatsApp's word, and iMessage Facebook's. */
const OWN_WORDS = [
  ...['facebookexternalhit', 'facebookcatalog', 'Facebot', 'Twitterbot', 'LinkedInBot'],
  ...['Slackbot-LinkExpanding', 'Slack-ImgProxy', 'Discordbot', 'TelegramBot', 'SkypeUriPreview'],
  ...[
    'MicrosoftPreview',
    'BingPreview',
    'ZoomBot',
    'NotionEmbedder',
    'NotionBot',
    'Mattermost-Bot',
  ],
  ...[
    'Mastodon(?=/)',
    'Pleroma',
    'Akkoma',
    'Misskey',
    'Friendica',
    'SummalyBot',
    'Synapse',
    'Cardyb',
  ],
  ...[
    'redditbot',
    'Pinterestbot',
    'Pinterest(?=/0)',
    'vkShare',
    'Tumblr(?=/)',
    'Embedly',
    'Iframely',
  ],
  ...[
    'Google-PageRenderer',
    'kakaotalk-scrap',
    'line-poker',
    'BitlyBot',
    'XING-contenttabreceiver',
  ],
  ...['Discourse Forum Onebox', 'FlipboardProxy', 'Snap URL Preview', 'Yahoo Link Preview'],
  ...['[\\w-]*(?:Link|URL|URI)[ _-]?Preview(?:er|Bot)?'],
];
/** Words that also occur in the User-Agents of these apps' in-app browsers. */
const WORDS_OF_APPS = ['WhatsApp', 'Viber', 'Notion'];
const BROWSER_ENGINE = /AppleWebKit.*(?:Mobile\/|Mobile Safari|Chrome\/)/i;

const OWN = wordsIn(OWN_WORDS);
const OF_APPS = wordsIn(WORDS_OF_APPS);

function wordsIn(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

export function previewerWord(userAgent: string): string | null {
  const own = OWN.exec(userAgent)?.[0];
  if (own !== undefined) return own;
  const ofApp = OF_APPS.exec(userAgent)?.[0];
  return ofApp === undefined || BROWSER_ENGINE.test(userAgent) ? null : ofApp;
}
