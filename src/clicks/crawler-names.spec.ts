import { agentVerdict } from './crawlers';

const crawlerName = (userAgent: string) => agentVerdict(userAgent).name;

describe('The name of a bot', () => {
  it.each([
    [
      'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/y/slurp)',
      'Yahoo! Slurp',
    ],
    ['Googlebot-Image/1.0', 'Googlebot'],
    ['Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)', 'Pingdom'],
  ])('for %s is the known name %s', (userAgent, name) => expect(crawlerName(userAgent)).toBe(name));

  it.each([
    ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'Slackbot-LinkExpanding'],
    ['Slack-ImgProxy (+https://api.slack.com/robots)', 'Slack-ImgProxy'],
    ['http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/) Bot', 'Mastodon'],
    ['facebookexternalhit/1.1;line-poker/1.0', 'facebookexternalhit'],
    ['Facebot', 'Facebot'],
    ['TelegramBot (like TwitterBot)', 'TelegramBot'],
    ['Snap URL Preview Service; bot; snapchat', 'Snap URL Preview'],
    ['Pinterest/0.2 (+https://www.pinterest.com/bot.html)', 'Pinterest'],
    ['bitlybot/3.0 (+http://bit.ly/)', 'bitlybot'],
    [`${'x'.repeat(200)}LinkPreview/1`, 'x'.repeat(100)],
  ])('for the previewer %s is its product name, %s', (userAgent, name) =>
    expect(agentVerdict(userAgent)).toEqual({ name, isPreviewer: true }),
  );

  it.each(['Twitterbots', 'xWhatsApp/2', 'Mastodon', 'Pinterest/1.0', 'Previewlink'])(
    'ignores a previewer’s name inside another word: %s',
    (userAgent) => expect(agentVerdict(userAgent).isPreviewer).toBe(false),
  );

  it.each([
    ['Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)', 'Discordbot'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)',
      'GPTBot',
    ],
    [
      'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
      'Bytespider',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.6099.109 Safari/537.36',
      'HeadlessChrome',
    ],
    ['Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)', 'UptimeRobot'],
    ['AdsBot-Google (+http://www.google.com/adsbot.html)', 'AdsBot-Google'],
    ['meta-externalagent/1.1 (+https://developers.facebook.com/docs)', 'meta-externalagent'],
  ])('for %s is the word that identifies it as a bot, %s', (userAgent, name) =>
    expect(crawlerName(userAgent)).toBe(name),
  );

  it.each([
    ['Mozilla/5.0 (compatible; Barkrowler/0.9; +https://babbar.tech/crawler)', 'Barkrowler'],
    ['Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)', 'vkShare'],
    ['Iframely/1.3.1 (+https://iframely.com/docs/about)', 'Iframely'],
    ['Pleroma 2.5.0; https://pleroma.example <admin@pleroma.example>; Bot', 'Pleroma'],
    ['Synapse (bot; +https://github.com/matrix-org/synapse)', 'Synapse'],
    ['curl/8.4.0', 'curl'],
    [Buffer.from('Straßenbot/1.0').toString('latin1'), 'Straßenbot'],
  ])(
    'for %s is the product name %s, if an address or a common word identifies it as a bot',
    (agent, name) => expect(crawlerName(agent)).toBe(name),
  );

  it.each(['bot', 'Mozilla/5.0 (compatible; bot)', 'http://evil.example/', 'crawler@example.com'])(
    'is not a word that all bots use: %s',
    (userAgent) => expect(crawlerName(userAgent)).toBe('Unnamed bot'),
  );

  it('is not read from markup', () => {
    expect(crawlerName('<script>alert(1)</script> bot')).toBe('alert');
    expect(crawlerName('<img src=x onerror=y')).toBe('Unnamed bot');
  });

  it.each([
    '<script>alert(1)</script> bot',
    '=HYPERLINK("http://evil") bot',
    'a\u202etob\u0001 bot',
  ])('is a word, regardless of the text around it: %s', (userAgent) =>
    expect(crawlerName(userAgent)).toMatch(/^[A-Za-z]+$/),
  );
});
