import { linkWith } from '../../../test/support/shared/domain-values';
import { Attempt } from '../../idempotency/attempt';
import type { Link } from '../../stores/links/link';
import { claimHash } from './claim-token';
import { ClaimService } from './claim.service';

const OWNER = 'a'.repeat(24);
const FREE = '1'.repeat(24);
const OWN = '2'.repeat(24);
const FOREIGN = '3'.repeat(24);
const UNKNOWN = '4'.repeat(24);
const TOKEN = 'token';

describe('A claim', () => {
  let links: Map<string, Link>;
  const invalidate = jest.fn();
  const service = new ClaimService(
    {
      claim: (id: string, hash: string, ownerId: string) => {
        const link = links.get(id);
        if (link?.ownerId !== null || hash !== claimHash(TOKEN)) return Promise.resolve(null);
        links.set(id, { ...link, ownerId });
        return Promise.resolve(link);
      },
    } as never,
    {
      findInOrder: (ids: string[]) => Promise.resolve(ids.flatMap((id) => links.get(id) ?? [])),
      findById: (id: string) => Promise.resolve(links.get(id) ?? null),
    } as never,
    { invalidate } as never,
  );
  const claim = (ids: readonly string[], token = TOKEN, attempt?: Attempt) =>
    service.claim(
      ids.map((url_id) => ({ url_id, token })),
      OWNER,
      attempt,
    );
  const statuses = async (answer: ReturnType<typeof claim>) =>
    (await answer).results.map(({ status }) => status);

  beforeEach(() => {
    jest.clearAllMocks();
    const owners = { [FREE]: null, [OWN]: OWNER, [FOREIGN]: 'b'.repeat(24) };
    const entries = Object.entries(owners);
    links = new Map(entries.map(([id, ownerId]) => [id, linkWith({ id, ownerId, alias: id })]));
  });

  it.each([
    ['the token', TOKEN, FREE, 'claimed'],
    ['the token and the id in capitals', TOKEN, FREE.toUpperCase(), 'claimed'],
    ['another token', 'other', FREE, 'invalid'],
    ['any token for a link of the account', 'other', OWN, 'already_yours'],
    ['the token for a link of another account', TOKEN, FOREIGN, 'invalid'],
    ['the token for an unknown link', TOKEN, UNKNOWN, 'invalid'],
    ['the token for an id of another form', TOKEN, 'nonsense', 'invalid'],
  ])('with %s has a separate result: %s %s', async (_, token, id, status) => {
    expect(await statuses(claim([id], token))).toEqual([status]);
    expect(invalidate).toHaveBeenCalledTimes(Number(status === 'claimed'));
  });

  it('that occurs twice in a request already belongs to the caller', async () => {
    const answer = claim([FREE, OWN, FREE]);
    expect(await statuses(answer)).toEqual(['claimed', 'already_yours', 'already_yours']);
    expect((await answer).claimed).toBe(1);
  });

  it('from an earlier attempt returns `claimed` again, unless the caller already had the link', async () => {
    links.set(FREE, linkWith({ id: FREE, ownerId: OWNER }));
    const attempt = new Attempt({ isRepeated: true, targets: [OWN] } as never);
    expect(await statuses(claim([FREE, OWN], TOKEN, attempt))).toEqual([
      'claimed',
      'already_yours',
    ]);
  });
});
