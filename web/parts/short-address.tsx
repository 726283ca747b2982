import { hostOf } from '../data/domains';

export function ShortAddress({ of }: { of: { alias: string; domain: string | null } }) {
  return (
    <bdi class="short-address">
      <span>{hostOf(of.domain)}/</span>
      <wbr />
      {of.alias}
    </bdi>
  );
}
