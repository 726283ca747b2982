import { useEffect, useState } from 'preact/hooks';
import { failureOf } from '../../api/failure';
import {
  addDomain,
  changeDomain,
  checkDomain,
  type Domain,
  forgetDomain,
  removeDomain,
  useDomain,
} from '../../data/domains';
import { useDraft } from '../../data/drafts';
import { outdate } from '../../data/query';
import { say } from '../../data/toasts';
import { ago, count } from '../../format';
import { Copy } from '../../parts/copy';
import { Field, FormProblem, Submit, useSubmission } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Icon } from '../../parts/icons';
import { Problem } from '../../parts/problem';
import { Loading } from '../../parts/skeleton';
import { go, Link } from '../../router';
import { texts } from '../../texts';
import { DomainName, DomainState } from './domains';

const t = texts.domains;
/** Interval between automatic checks. The API allows sixty checks an hour. */
const CHECK_EVERY_MS = 120_000;

const outdateDomains = (): void => outdate('domains', 'domain:');

export default function DomainScreen({ id }: { id: string }) {
  const found = useDomain(id);
  const domain = found.value;
  return (
    <>
      <p class="crumb">
        <Link to="/domains">
          <Icon name="back" /> {t.all}
        </Link>
      </p>
      <div class="link-name domain-head">
        <h1 tabIndex={-1}>{domain === undefined ? t.title : <DomainName fqdn={domain.fqdn} />}</h1>
        {domain !== undefined && (
          <p class="lead">
            <DomainState domain={domain} /> {domain.is_default && <span>{t.isDefault}</span>}
          </p>
        )}
      </div>
      <Loading found={found} rows={4} />
      {domain !== undefined && (
        <div key={domain.id}>
          <Records domain={domain} />
          {domain.status === 'active' && <Settings domain={domain} />}
          <Removal domain={domain} />
        </div>
      )}
    </>
  );
}

function Records({ domain }: { domain: Domain }) {
  const [said, setSaid] = useState('');
  const [isChecking, setChecking] = useState(false);
  const { id, status } = domain;
  const isPending = status === 'pending' || status === 'verifying';
  const check = async (): Promise<void> => {
    setChecking(true);
    try {
      const checked = await checkDomain(id);
      setSaid(checked.last_verification_error ?? t.isProved);
      outdateDomains();
    } catch (thrown) {
      setSaid(failureOf(thrown).message);
    }
    setChecking(false);
  };
  useEffect(() => {
    if (!isPending) return;
    const timer = setInterval(() => {
      if (!document.hidden) void check();
    }, CHECK_EVERY_MS);
    return () => clearInterval(timer);
  }, [id, isPending]);
  return (
    <section class="card">
      <h2>{t.records}</h2>
      <p>{t.meaning[isPending ? 'pending' : (status as keyof typeof t.meaning)]}</p>
      {status !== 'revoked' && (
        <>
          <div class="table-scroll">
            <table class="records">
              <caption class="unseen">{t.records}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.type}</th>
                  <th scope="col">{t.recordName}</th>
                  <th scope="col">{t.value}</th>
                  <th scope="col">{t.state}</th>
                </tr>
              </thead>
              <tbody>
                {domain.dns_records.map((record) => (
                  <tr key={`${record.type} ${record.value}`}>
                    <td>{record.type}</td>
                    <Copied title={t.recordName} text={record.name} />
                    <Copied title={t.value} text={record.value} />
                    <RecordState record={record} />
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <ul class="hint domain-notes">
            {domain.setup_notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
          <div class="actions check-now">
            <button type="button" aria-busy={isChecking} onClick={() => isChecking || void check()}>
              {isChecking ? t.checking : t.check}
            </button>
          </div>
        </>
      )}
      <p role="status">{said === '' ? (domain.last_verification_error ?? '') : said}</p>
      {domain.last_verified_at !== null && (
        <p class="hint">{t.checkedAt(ago(new Date(domain.last_verified_at)))}</p>
      )}
    </section>
  );
}

const RECORD_HUES = { found: 'green', missing: 'yellow', wrong: 'red' } as const;

function RecordState({ record: { state, found } }: { record: Domain['dns_records'][number] }) {
  return (
    <td data-title={t.state}>
      <span class={`tag ${state === null ? 'grey' : RECORD_HUES[state]}`}>
        {t.recordStates[state ?? 'unknown']}
      </span>
      {found.map((value) => (
        <code key={value} dir="auto">
          {value}
        </code>
      ))}
    </td>
  );
}

function Copied({ title, text }: { title: string; text: string }) {
  return (
    <td data-title={title}>
      <span class="copied">
        <code>
          <DomainName fqdn={text} />
        </code>
        <Copy text={text} what={text} kind="icon" label={t.copyRecord(text)} />
      </span>
    </td>
  );
}

function Settings({ domain }: { domain: Domain }) {
  const { id } = domain;
  const [draft, change, forget] = useDraft(`domain:${id}`, {
    root_redirect: domain.root_redirect ?? '',
    not_found_redirect: domain.not_found_redirect ?? '',
    custom_robots_txt: domain.custom_robots_txt ?? '',
  });
  const submission = useSubmission();
  const send = async (): Promise<void> => {
    await changeDomain(id, {
      root_redirect: draft.root_redirect.trim() || null,
      not_found_redirect: draft.not_found_redirect.trim() || null,
      custom_robots_txt: draft.custom_robots_txt || null,
    });
    forget();
    outdateDomains();
    say(t.saved);
  };
  const makeDefault = (): void =>
    submission.run(async () => {
      await changeDomain(id, { is_default: true });
      outdateDomains();
    });
  const field = (name: keyof typeof draft, label: string, lines?: number) => (
    <Field
      label={label}
      name={name}
      value={draft[name]}
      change={(value) => change({ [name]: value })}
      failure={submission.failure}
      lines={lines}
      isOptional
      autocomplete="off"
      spellcheck={false}
    />
  );
  return (
    <section class="card">
      <h2>{t.settings}</h2>
      {!domain.is_default && (
        <div class="field">
          <p class="hint">{t.defaultHint}</p>
          <button type="button" class="quiet" onClick={makeDefault}>
            {t.makeDefault}
          </button>
        </div>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(send);
        }}
      >
        {field('root_redirect', t.root)}
        {field('not_found_redirect', t.notFound)}
        {field('custom_robots_txt', t.robots, 5)}
        <FormProblem
          failure={submission.failure}
          shown={['root_redirect', 'not_found_redirect', 'custom_robots_txt']}
        />
        <div class="actions">
          <Submit label={texts.save} submission={submission} />
        </div>
      </form>
    </section>
  );
}

function Removal({ domain }: { domain: Domain }) {
  const [isAsking, setAsking] = useState(false);
  const submission = useSubmission();
  const { id, fqdn, links, status } = domain;
  const isRevoked = status === 'revoked';
  const remove = async (): Promise<void> => {
    if (isRevoked) await forgetDomain(id);
    else await removeDomain(id);
    outdateDomains();
    go('/domains');
    say(t.removed(fqdn));
  };
  const addAgain = async (): Promise<void> => {
    await addDomain(fqdn);
    outdateDomains();
  };
  return (
    <section class="actions">
      <Problem failure={submission.failure} />
      {isRevoked && (
        <button type="button" onClick={() => submission.run(addAgain)}>
          {t.addAgain}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => setAsking(true)}>
        {isRevoked ? t.forget : t.remove}
      </button>
      {isAsking && (
        <FormDialog
          title={t.removeTitle(fqdn)}
          act={t.removeNow}
          run={remove}
          close={() => setAsking(false)}
          isBad
        >
          {() => <p>{t.removing(count(links), links)}</p>}
        </FormDialog>
      )}
    </section>
  );
}
