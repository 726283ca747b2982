import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { useDraft } from '../../data/drafts';
import { addDomain, type Domain, hostIn, useDomains, useSharedDomains } from '../../data/domains';
import { outdate } from '../../data/query';
import { count } from '../../format';
import { Empty } from '../../parts/empty';
import { Field } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Icon } from '../../parts/icons';
import { ScreenHead } from '../../parts/screen-head';
import { Loading } from '../../parts/skeleton';
import { go, Link } from '../../router';
import { texts } from '../../texts';

export default function Domains() {
  const [isAdding, setAdding] = useState(false);
  const found = useDomains();
  const domains = found.value;
  const t = texts.domains;
  const add = (
    <button type="button" onClick={() => setAdding(true)}>
      <Icon name="plus" /> {t.add}
    </button>
  );
  return (
    <>
      <ScreenHead title={t.title} lead={t.lead}>
        {domains !== undefined && domains.length > 0 && add}
      </ScreenHead>
      <Loading found={found} rows={3} />
      {domains?.length === 0 && (
        <Empty icon="domains" title={t.none}>
          <p>{t.noneHint}</p>
          {add}
        </Empty>
      )}
      {domains !== undefined && domains.length > 0 && <DomainTable domains={domains} />}
      <SharedDomains />
      {isAdding && <NewDomain close={() => setAdding(false)} />}
    </>
  );
}

function DomainTable({ domains }: { domains: readonly Domain[] }) {
  const t = texts.domains;
  return (
    <div class="table-card">
      <table class="list-table">
        <caption class="unseen">{t.title}</caption>
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.state}</th>
            <th scope="col" class="number">
              {t.links}
            </th>
          </tr>
        </thead>
        <tbody>
          {domains.map((domain) => (
            <tr key={domain.id}>
              <th scope="row">
                <Link to={`/domains/${domain.id}`}>
                  <DomainName fqdn={domain.fqdn} />
                </Link>
                {domain.is_default && <span class="hint"> {t.isDefault}</span>}
                {domain.shared && <span class="hint"> {t.isShared}</span>}
              </th>
              <td>
                <DomainState domain={domain} />
              </td>
              <td class="number">{count(domain.links)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SharedDomains() {
  const { value: domains = [] } = useSharedDomains();
  const t = texts.domains;
  if (domains.length === 0) return null;
  return (
    <section class="shared-domains" aria-labelledby="shared-domains">
      <h2 id="shared-domains">{t.shared}</h2>
      <p class="lead">{t.sharedLead}</p>
      <div class="table-card">
        <table class="list-table">
          <caption class="unseen">{t.shared}</caption>
          <thead>
            <tr>
              <th scope="col">{t.name}</th>
              <th scope="col">{t.state}</th>
            </tr>
          </thead>
          <tbody>
            {domains.map((domain) => (
              <tr key={domain.fqdn}>
                <th scope="row">
                  <DomainName fqdn={domain.fqdn} />
                </th>
                <td>
                  <DomainState domain={domain} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A domain name that preferably breaks after a dot. */
export function DomainName({ fqdn }: { fqdn: string }) {
  return (
    <>
      {fqdn.split('.').map((label, i) => (
        <Fragment key={i}>
          {i > 0 && (
            <>
              .<wbr />
            </>
          )}
          {label}
        </Fragment>
      ))}
    </>
  );
}

const HUES = { active: 'green', pending: 'yellow', suspended: 'red', revoked: 'grey' } as const;

export function DomainState({ domain }: { domain: Pick<Domain, 'status'> }) {
  const status = domain.status === 'verifying' ? 'pending' : domain.status;
  return <span class={`tag ${HUES[status]}`}>{texts.domains.states[status]}</span>;
}

function NewDomain({ close }: { close: () => void }) {
  const [draft, change, forget] = useDraft('domain:new', { fqdn: '' });
  const t = texts.domains;
  const send = async (): Promise<void> => {
    const { id } = await addDomain(hostIn(draft.fqdn));
    forget();
    outdate('domains', 'domain:');
    go(`/domains/${id}`);
  };
  return (
    <FormDialog title={t.add} act={t.add} run={send} close={close} shown={['fqdn']}>
      {(failure) => (
        <Field
          label={t.name}
          name="fqdn"
          value={draft.fqdn}
          change={(fqdn) => change({ fqdn })}
          failure={failure}
          hint={t.nameHint}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          data-autofocus
        />
      )}
    </FormDialog>
  );
}
