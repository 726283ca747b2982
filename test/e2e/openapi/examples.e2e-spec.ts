import { ApiClient } from '../../support/api-client';
import { post } from '../../support/http';
import { postForm } from '../../support/legacy-requests';
import { builtDocument, operationsOf } from '../../support/openapi/document';
import { startService, type Service } from '../../support/service';

function examplesOf(id: string): Record<string, Record<string, unknown>> {
  const found = operationsOf(builtDocument()).find(({ operation }) => operation.operationId === id);
  const [media] = Object.values(found?.operation.requestBody?.content ?? {});
  return Object.fromEntries(
    Object.entries(media?.examples ?? {}).map(([name, { value }]) => [name, value]),
  );
}

describe('The examples in the API document work unchanged', () => {
  let service: Service;
  let client: ApiClient;
  beforeAll(async () => {
    service = await startService();
    client = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  it('when links are created, changed and paused', async () => {
    for (const body of Object.values(examplesOf('createLink'))) {
      expect((await client.call('post', '/api/v1/shorten', body)).status).toBe(201);
    }
    const { id } = await client.aLink();
    for (const body of Object.values(examplesOf('updateLink'))) {
      expect((await client.update(id, body)).status).toBe(200);
    }
    for (const body of Object.values(examplesOf('setLinkStatus'))) {
      expect((await client.call('patch', `/api/v1/urls/${id}/status`, body)).status).toBe(200);
    }
    expect(Object.keys(examplesOf('createLink'))).toHaveLength(2);
  });

  it('for API keys', async () => {
    const answer = await client.call('post', '/api/v1/keys', examplesOf('createApiKey').key);
    expect(answer.status).toBe(201);
  });

  it('for registration, sign-in and a new password', async () => {
    expect((await post(service, '/auth/register', examplesOf('register').account)).status).toBe(
      201,
    );
    expect((await post(service, '/auth/login', examplesOf('login').login)).status).toBe(200);
    const { email } = examplesOf('requestPasswordReset');
    expect((await post(service, '/auth/request-password-reset', email)).status).toBe(200);
  });

  it('for the v0 forms', async () => {
    for (const [id, path] of [
      ['createLegacyLink', '/'],
      ['createLegacyEmojiLink', '/emoji'],
    ] as const) {
      const { form } = examplesOf(id) as { form: Record<string, string> };
      expect((await postForm(service, path, form)).status).toBe(200);
    }
  });
});
