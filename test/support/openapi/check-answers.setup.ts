import request from 'supertest';
import { anAddress } from '../http';
import { keptOutside } from '../outside';
import { isServiceUrl, isSharedUrl } from '../service';
import { type Answer, AnswerCheck } from './answer-check';

// Runs before every end-to-end file: checks each response received by supertest or fetch
// against the API document and fails the request on a mismatch.

const ADDRESS = 'X-Forwarded-For';
let check: AnswerCheck | undefined;

function complaint(answer: Answer): Error | null {
  let complaints: string[];
  try {
    check ??= new AnswerCheck();
    complaints = check.complaintsAbout(answer);
  } catch (error) {
    // Errors thrown in client callbacks cannot be caught.
    return error instanceof Error ? error : new Error(String(error));
  }
  if (complaints.length === 0) return null;
  return new Error(`The answer is not as /openapi.json says:\n${complaints.join('\n')}`);
}

/** This file's default client address, because files that share a service must not share limits. */
const ownAddress = anAddress();

type Callback = (error: Error | null, answer: request.Response) => void;
interface Patched {
  request: (this: request.Test) => unknown;
  assert: (
    this: request.Test,
    error: Error | null,
    answer?: request.Response,
    done?: Callback,
  ) => void;
}

const prototype = request.Test.prototype as unknown as Patched;
// Files on this worker share the package, so that its methods may already be an earlier file's.
const { assert, request: openRequest } = keptOutside('supertest', () => ({
  assert: prototype.assert,
  request: prototype.request,
}));
prototype.request = function () {
  if (isSharedUrl(new URL(this.url)) && !this.getHeader(ADDRESS)) this.set(ADDRESS, ownAddress);
  return openRequest.call(this);
};
prototype.assert = function (error, answer, done) {
  assert.call(this, error, answer, (failed, given) => {
    done?.(failed ?? (answer === undefined ? null : complaintOfTest(this, answer)), given);
  });
};

function complaintOfTest(test: request.Test, answer: request.Response): Error | null {
  const { url, method } = test;
  const target = new URL(url);
  // Other hosts may be custom domains, which serve no documented path.
  if (test.getHeader('Host')) return null;
  // The response comes from the redirect target.
  if (!isServiceUrl(target) || answer.redirects.length > 0) return null;
  return complaint({
    method,
    target: target.pathname + target.search,
    status: answer.status,
    header: (name) => headerText(answer.headers[name.toLowerCase()]),
    text: textOf(answer),
  });
}

function headerText(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.join() : value;
}

/** With a custom parser the body is a buffer, without text. */
function textOf({ text, body }: request.Response): string | null {
  if (typeof text === 'string') return text;
  return Buffer.isBuffer(body) ? body.toString() : null;
}

const realFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const target = new URL(input instanceof Request ? input.url : input);
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  if (isSharedUrl(target) && !headers.has(ADDRESS)) headers.set(ADDRESS, ownAddress);
  const answer = await realFetch(input, { ...init, headers });
  if (!isServiceUrl(target) || answer.redirected) return answer;
  // The test may read only part of a stream.
  const isWhole = answer.headers.has('content-length');
  const wrong = complaint({
    method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
    target: target.pathname + target.search,
    status: answer.status,
    header: (name) => answer.headers.get(name),
    text: isWhole ? await answer.clone().text() : null,
  });
  if (wrong !== null) throw wrong;
  return answer;
};
