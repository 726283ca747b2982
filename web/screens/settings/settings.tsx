import { ShortcutList } from '../../frame/shortcuts';
import { ThemeChoice } from '../../frame/theme';
import { features } from '../../data/first-answer';
import { ScreenHead } from '../../parts/screen-head';
import { texts } from '../../texts';
import { Bookmarklet } from './bookmarklet';
import { DeleteAccount } from './delete-account';
import { EmailAddress } from './email-address';
import { Profile } from './profile';
import { Password } from './password';
import { SignInMethods } from './sign-in-methods';
import { Sessions } from './sessions';
import { YourData } from './your-data';

export default function Settings() {
  const t = texts.settings;
  return (
    <>
      <ScreenHead title={texts.nav.settings} />
      <div class="settings">
        <Profile />
        <EmailAddress />
        {features.password_sign_in && <Password />}
        <SignInMethods />
        <Sessions />
        <Bookmarklet />
        <section class="card" aria-labelledby="appearance">
          <h2 id="appearance">{t.appearance}</h2>
          <ThemeChoice />
        </section>
        <section class="card" aria-labelledby="shortcuts">
          <h2 id="shortcuts">{texts.shortcuts.title}</h2>
          <ShortcutList />
        </section>
        <YourData />
        <DeleteAccount />
      </div>
    </>
  );
}
