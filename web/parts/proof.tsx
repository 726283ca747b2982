import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../api/client';
import type { Failure } from '../api/failure';
import { account, features } from '../data/first-answer';
import { useStore } from '../data/store';
import { say, sayFailure } from '../data/toasts';
import { texts } from '../texts';
import { Field } from './form';

export interface ProofDraft {
  readonly password: string;
  readonly code: string;
}

export const NO_PROOF: ProofDraft = { password: '', code: '' };

interface ProofProps {
  readonly purpose: Schemas['ProofCodeDto']['purpose'];
  readonly draft: ProofDraft;
  readonly change: (draft: ProofDraft) => void;
  readonly failure: Failure | null;
  readonly needsCode?: boolean;
}

/** The password, or a code from an email, by which the owner confirms an action. */
export function Proof({ purpose, draft, change, failure, needsCode = false }: ProofProps) {
  const t = texts.proof;
  const hasPassword = useStore(account)?.password_set === true && features.password_sign_in;
  const [isSent, setSent] = useState(false);
  const send = (): void => {
    bodyOf(api.POST('/auth/me/code', { body: { purpose } }))
      .then(({ expires_in: seconds }) => {
        setSent(seconds > 0);
        say(seconds > 0 ? t.sent : t.stopped);
      })
      .catch(sayFailure);
  };
  return (
    <>
      {hasPassword && !needsCode && !isSent && (
        <Field
          label={t.password}
          name="password"
          type="password"
          autocomplete="current-password"
          value={draft.password}
          change={(password) => change({ ...draft, password })}
          failure={failure}
        />
      )}
      {isSent && (
        <Field
          label={t.code}
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          value={draft.code}
          change={(code) => change({ ...draft, code })}
          failure={failure}
        />
      )}
      <p>
        <button type="button" class="quiet small" onClick={send}>
          {hasPassword && !needsCode && !isSent ? t.instead : t.send}
        </button>
      </p>
    </>
  );
}

export function isProven({ password, code }: ProofDraft, needsCode = false): boolean {
  return code.trim() !== '' || (!needsCode && password !== '');
}

/** Sends the code if there is one, because the code field replaces the password field. */
export function proofOf({ password, code }: ProofDraft): { password?: string; code?: string } {
  const digits = code.replace(/\s/g, '');
  return digits === '' ? { password } : { code: digits };
}
