import { useId, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { Failure } from '../../api/failure';
import { know, useQuery } from '../../data/query';
import { say } from '../../data/toasts';
import { bare, count } from '../../format';
import { Check, Choice, FormProblem, Submit, useSubmission } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { texts } from '../../texts';

type LinkItem = Schemas['LinkItemResponse'];
type Settings = Schemas['QrSettingsResponse'];
type Style = Settings['style'];

const LEVELS = ['L', 'M', 'Q', 'H'] as const;
/** Sizes in pixels for web pages, slides and print. */
const SIZES = [256, 512, 1024, 2048] as const;

export function QrCode({ link }: { link: LinkItem }) {
  const found = useQuery(`link:${link.id}:qr`, () =>
    bodyOf(api.GET('/api/v1/urls/{url_id}/qr', { params: { path: { url_id: link.id } } })),
  );
  if (found.value === undefined) {
    return found.failure === null ? (
      <Skeleton kind="chart" />
    ) : (
      <Problem failure={found.failure} retry={found.reload} />
    );
  }
  return <Design link={link} settings={found.value} />;
}

function Design({ link, settings }: { link: LinkItem; settings: Settings }) {
  const [changes, setChanges] = useState<Partial<Style>>({});
  const submission = useSubmission();
  const style = { ...settings.style, ...changes };
  const change = (next: Partial<Style>): void => setChanges({ ...changes, ...next });
  const keep = async (): Promise<void> => {
    const params = { path: { url_id: link.id } };
    know(
      `link:${link.id}:qr`,
      await bodyOf(api.PUT('/api/v1/urls/{url_id}/qr', { params, body: style })),
    );
    setChanges({});
    say(texts.qr.kept);
  };
  const logo = useQuery('qr-logo', hasStoredLogo);
  // Until it is known whether there is a logo, shows the option if the style has one.
  const hasLogo = style.logo || logo.value === true;
  const picture = addressOf(link, 'svg', style, {});
  const [refused, setRefused] = useState('');
  const t = texts.qr;
  return (
    <form
      class="qr"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(keep);
      }}
    >
      <img
        src={picture}
        alt={t.alt(bare(link.short_url))}
        width={256}
        height={256}
        hidden={refused === picture}
        onError={() => setRefused(picture)}
      />
      {refused === picture && (
        <p class="problem" role="alert">
          {t.refused}
        </p>
      )}
      <div class="actions">
        <a class="button" href={addressOf(link, 'svg', style, { download: 'true' })}>
          <Icon name="download" /> SVG
        </a>
        <a class="button quiet" href={addressOf(link, 'png', style, { download: 'true' })}>
          <Icon name="download" /> PNG
        </a>
      </div>
      <div class="qr-style">
        <Colour label={t.dark} value={style.dark} change={(dark) => change({ dark })} />
        <Colour label={t.light} value={style.light} change={(light) => change({ light })} />
        <Choice
          label={t.margin}
          value={String(style.margin)}
          options={[0, 1, 2, 4, 6, 8].map((margin) => [String(margin), String(margin)])}
          change={(margin) => change({ margin: Number(margin) })}
        />
        <Choice
          label={t.level}
          value={style.level}
          options={LEVELS.map((level) => [level, t.levels[level]])}
          change={(level) => change({ level: LEVELS.find((each) => each === level) ?? 'M' })}
        />
        <Choice
          label={t.size}
          value={String(style.size)}
          options={SIZES.map((size) => [String(size), t.pixels(count(size))])}
          change={(size) => change({ size: Number(size) })}
        />
      </div>
      {hasLogo && <Check label={t.logo} checked={style.logo} change={(logo) => change({ logo })} />}
      {style.margin < 4 && <p class="hint">{t.quiet}</p>}
      <FormProblem failure={submission.failure} shown={[]} />
      <Submit
        label={t.keep}
        submission={submission}
        isDisabled={Object.keys(changes).length === 0}
        class="quiet"
      />
    </form>
  );
}

async function hasStoredLogo(): Promise<boolean> {
  const { response } = await api.GET('/api/v1/qr/logo', { parseAs: 'blob' });
  if (response.ok) return true;
  if (response.status === 404) return false;
  throw await Failure.fromAnswer(response);
}

/** Returns a picture's address. Colours have no `#`. */
function addressOf(
  link: LinkItem,
  format: 'svg' | 'png',
  { size, margin, level, dark, light, logo, track }: Style,
  more: Record<string, string>,
): string {
  const parameters = new URLSearchParams({
    size: String(size),
    margin: String(margin),
    level,
    dark,
    light,
    logo: String(logo),
    track: String(track),
    ...more,
  });
  return `/api/v1/urls/${link.id}/qr.${format}?${parameters.toString()}`;
}

interface ColourProps {
  readonly label: string;
  /** Six hexadecimal digits. Other values, such as `transparent`, are shown as white. */
  readonly value: string;
  readonly change: (value: string) => void;
}

function Colour({ label, value, change }: ColourProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="color"
        value={`#${/^[0-9a-f]{6}/i.exec(value)?.[0] ?? 'ffffff'}`}
        onChange={(event) => change(event.currentTarget.value.slice(1))}
      />
    </div>
  );
}
