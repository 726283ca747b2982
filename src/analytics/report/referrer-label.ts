/** Android apps by package name in lower case, as in the referrer `android-app://<package>`. */
const ANDROID_APPS: Readonly<Record<string, string>> = {
  'com.google.android.gm': 'Gmail',
  'com.google.android.googlequicksearchbox': 'Google app',
  'com.google.android.apps.messaging': 'Google Messages',
  'com.google.android.apps.dynamite': 'Google Chat',
  'com.google.android.youtube': 'YouTube',
  'com.google.android.apps.magazines': 'Google News',
  'com.facebook.katana': 'Facebook',
  'com.facebook.orca': 'Messenger',
  'com.instagram.android': 'Instagram',
  'com.instagram.barcelona': 'Threads',
  'com.whatsapp': 'WhatsApp',
  'com.twitter.android': 'X',
  'com.linkedin.android': 'LinkedIn',
  'com.reddit.frontpage': 'Reddit',
  'com.pinterest': 'Pinterest',
  'com.slack': 'Slack',
  'com.discord': 'Discord',
  'com.microsoft.teams': 'Microsoft Teams',
  'com.microsoft.office.outlook': 'Outlook',
  'com.yahoo.mobile.client.android.mail': 'Yahoo Mail',
  'com.tumblr': 'Tumblr',
  'com.snapchat.android': 'Snapchat',
  'com.zhiliaoapp.musically': 'TikTok',
  'com.laurencedawson.reddit_sync': 'Sync for Reddit',
  'com.andrewshu.android.reddit': 'rif is fun for Reddit',
  'io.syncapps.lemmy_sync': 'Sync for Lemmy',
  'org.telegram.messenger': 'Telegram',
  'org.telegram.plus': 'Plus Messenger',
  'org.thoughtcrime.securesms': 'Signal',
  'org.joinmastodon.android': 'Mastodon',
  'ch.protonmail.android': 'Proton Mail',
  'de.gmx.mobile.android.mail': 'GMX Mail',
  'de.web.mobile.android.mail': 'WEB.DE Mail',
  'com.fsck.k9': 'K-9 Mail',
};

const REFERRER = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/i;

/** Returns the host without scheme and `www.`, or the app's name. Labels are not unique. */
export function referrerLabel(referrer: string): string {
  const [, scheme = '', host = ''] = REFERRER.exec(referrer) ?? [];
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return host.replace(/^www\.(?=[^.]+\.)/i, '');
    case 'android-app':
      return `${appName(host)} (Android)`;
    default:
      return referrer;
  }
}

/** Visitors can send any package name, such as `constructor`. */
function appName(id: string): string {
  return Object.hasOwn(ANDROID_APPS, id) ? (ANDROID_APPS[id] ?? id) : id;
}
