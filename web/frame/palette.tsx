import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../api/client';
import { useKept, useQuery } from '../data/query';
import { bare } from '../format';
import { Combobox } from '../parts/combobox';
import { Icon, type IconName } from '../parts/icons';
import { Problem } from '../parts/problem';
import { go } from '../router';
import { texts } from '../texts';
import { openNewLink } from './shortcuts';

const PAUSE_MS = 200;
const MAX_LINKS = 8;
const MAX_TYPED = 500;

export interface ScreenOffer {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

interface Offer {
  readonly icon: IconName;
  readonly text: string;
  readonly detail?: string;
  readonly act: () => void;
}

interface PaletteProps {
  readonly screens: readonly ScreenOffer[];
  readonly close: () => void;
}

/** Finds links by title, alias or short URL, and screens by name. */
export function Palette({ screens, close }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const wanted = typed.trim().slice(0, MAX_TYPED);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const found = useQuery(asked === '' ? null : `links:palette:${asked}`, () => {
    const query = { pageSize: MAX_LINKS, filter: JSON.stringify({ search: asked }) };
    return bodyOf(api.GET('/api/v1/urls', { params: { query } }));
  });
  const kept = useKept(found.value);
  const links = wanted === '' || asked === '' ? [] : (kept?.items ?? []);
  const isCurrent = wanted === asked && (asked === '' || found.value !== undefined);
  const begins = ({ label }: ScreenOffer): boolean =>
    label.toLocaleLowerCase().startsWith(wanted.toLocaleLowerCase());
  const offers = new Map<string, Offer>([
    ...screenOffers(screens.filter(begins), wanted),
    ...links.map((link) => [link.id, linkOffer(link)] as const),
    ...screenOffers(screens, wanted),
    ...createOffers(wanted),
  ]);
  const choose = (id: string): void => {
    // Without a selected option, Enter opens the first one, unless the results are outdated.
    const offer = offers.get(id) ?? (isCurrent ? [...offers.values()][0] : undefined);
    if (offer === undefined) {
      setAsked(wanted);
      return;
    }
    close();
    offer.act();
  };
  const t = texts.palette;
  return (
    <div class="palette">
      <Combobox
        label={t.field}
        name="palette"
        value={typed}
        change={setTyped}
        options={[...offers.keys()]}
        isWhole
        choose={choose}
        show={(id) => <Shown offer={offers.get(id)} />}
        hint={t.hint}
        isFirst
      />
      <p role="status" class="hint">
        {isCurrent && wanted !== '' && (links.length === 0 ? t.noLinks : t.links(links.length))}
      </p>
      <Problem failure={found.failure} retry={found.reload} />
    </div>
  );
}

function screenOffers(screens: readonly ScreenOffer[], wanted: string): [string, Offer][] {
  const text = wanted.toLocaleLowerCase();
  return screens
    .filter(({ label }) => label.toLocaleLowerCase().includes(text))
    .map(({ path, label, icon }) => [
      path,
      { icon, text: label, detail: texts.palette.screen, act: () => go(path) },
    ]);
}

function linkOffer({ id, title, short_url: url }: Schemas['LinkItemResponse']): Offer {
  const act = (): void => go(`/links/${id}`);
  if (title === null) return { icon: 'links', text: bare(url), act };
  return { icon: 'links', text: title, detail: bare(url), act };
}

/** Offers the typed address as the destination of a new link. */
function createOffers(wanted: string): [string, Offer][] {
  const t = texts.palette;
  if (/^(?:https?:\/\/)?[^\s/]+\.[^\s]+$/i.test(wanted)) {
    const act = (): void => go('/links', new URLSearchParams({ url: wanted }));
    return [['create', { icon: 'plus', text: t.shorten, detail: wanted, act }]];
  }
  const { create } = texts.links;
  if (!create.toLocaleLowerCase().includes(wanted.toLocaleLowerCase())) return [];
  return [['create', { icon: 'plus', text: create, act: openNewLink }]];
}

function Shown({ offer }: { offer: Offer | undefined }) {
  if (offer === undefined) return null;
  return (
    <>
      <Icon name={offer.icon} />
      <span>
        <bdi>{offer.text}</bdi>
        {offer.detail !== undefined && <bdi class="hint">{offer.detail}</bdi>}
      </span>
    </>
  );
}
