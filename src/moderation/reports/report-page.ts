import {
  field,
  type FieldWords,
  type FormProblem,
  generalProblem,
  pageTitle,
} from '../../accounts/pages/form-field';
import { MAX_EMAIL_LENGTH } from '../../accounts/account/account';
import { html, type Html, page, type Viewer, wayHome } from '../../common/http/page';
import { type ReportReason } from './report';
import { MAX_REPORTED_ADDRESS_LENGTH, MAX_DETAILS_LENGTH } from './report.dto';

const REASONS = {
  phishing: 'Phishing: it asks for passwords or card numbers',
  malware: 'Malware',
  spam: 'Spam',
  illegal_content: 'Illegal content',
  other: 'Something else',
} as const satisfies Record<ReportReason, string>;

export const REPORT_WORDS: FieldWords = {
  url: 'Enter a short link of this service, or its alias.',
  reason: 'Choose a reason.',
  details: `At most ${MAX_DETAILS_LENGTH} characters.`,
  email: 'Enter a complete email address, or leave it empty.',
};

export interface TypedReport {
  readonly url?: string;
  readonly reason?: string;
  readonly details?: string;
  readonly email?: string;
}

export function reportPage(
  viewer: Viewer | null,
  typed: TypedReport = {},
  problem: FormProblem | null = null,
): string {
  return page(
    pageTitle('Report a link', problem),
    html`<section class="card">
      <h1>Report a link</h1>
      <p class="lead">
        Does a short link lead to something harmful? The operator of this service will review it.
        The owner of the link is not notified.
      </p>
      ${generalProblem(problem)}
      <form method="post" action="/report">
        ${field(
          {
            name: 'url',
            label: 'Short link',
            type: 'text',
            autocomplete: 'off',
            maxLength: MAX_REPORTED_ADDRESS_LENGTH,
            value: typed.url,
          },
          problem,
          typed.url === undefined,
        )}
        ${reasonField(typed.reason, problem)} ${detailsField(typed.details, problem)}
        ${field(
          {
            name: 'email',
            label: 'Your email address',
            type: 'email',
            autocomplete: 'email',
            maxLength: MAX_EMAIL_LENGTH,
            optional: true,
            hint: 'For follow-up questions. It is deleted 30 days after the report is closed.',
            value: typed.email,
          },
          problem,
        )}
        <button type="submit">Report</button>
      </form>
    </section>`,
    { viewer },
  );
}

export function thanksPage(viewer: Viewer | null): string {
  return page(
    'Thank you',
    html`<section class="card">
      <h1>Thank you</h1>
      <p role="status">
        We received your report. The operator of this service will review the link.
      </p>
      <p>${wayHome()}</p>
    </section>`,
    { viewer },
  );
}

function reasonField(chosen: string | undefined, problem: FormProblem | null): Html {
  return html`<label for="reason">What is wrong with it?</label>
    <select id="reason" name="reason" required ${reportFaultAttributes('reason', problem)}>
      <option value="">Choose a reason</option>
      ${Object.entries(REASONS).map(
        ([value, words]) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${words}</option>`,
      )}
    </select>
    ${faultText('reason', problem)}`;
}

function detailsField(details: string | undefined, problem: FormProblem | null): Html {
  return html`<label for="details">
      What does the link do, and where did you get it? <span class="hint">(optional)</span>
    </label>
    <textarea
      id="details"
      name="details"
      rows="4"
      maxlength="${MAX_DETAILS_LENGTH}"
      ${reportFaultAttributes('details', problem)}
    >
${details}</textarea>
    ${faultText('details', problem)}`;
}

function reportFaultAttributes(name: string, problem: FormProblem | null): Html | false {
  const [first] = Object.keys(problem?.fields ?? {});
  return (
    problem?.fields[name] !== undefined &&
    html`aria-invalid="true" aria-describedby="${name}-problem" ${first === name && html`autofocus`}`
  );
}

function faultText(name: string, problem: FormProblem | null): Html | false {
  const wrong = problem?.fields[name];
  const [first] = Object.keys(problem?.fields ?? {});
  return (
    wrong !== undefined &&
    html`<p class="problem" id="${name}-problem" ${first === name && html`role="alert"`}>
      ${wrong}
    </p>`
  );
}
