import { hostOf } from '../data/domains';

/** The whole address of a link in a list; the alias is what tells most of them apart. */
export function ShortAddress({ of }: { of: { alias: string; domain: string | null } }) {
  return (
    <bdi class="short-address">
      <span>{hostOf(of.domain)}/</span>
      <wbr />
      {of.alias}
    </bdi>
  );
}
