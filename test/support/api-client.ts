import request from 'supertest';
import type { Scope } from '../../src/auth/access';
import { aKey, aVerifiedAccount, type TestAccount } from './factories/accounts';
import { anAddress, bearer, post } from './http';
import { type MadeLink } from './factories/links';
import type { Service } from './service';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export class ApiClient {
  private constructor(
    private readonly service: Service,
    readonly account: TestAccount,
    private readonly token: string,
  ) {}

  static async on(service: Service): Promise<ApiClient> {
    const account = await aVerifiedAccount(service);
    return new ApiClient(service, account, account.accessToken);
  }

  async withKey(...scopes: Scope[]): Promise<ApiClient> {
    const key = await aKey(this.service, this.account, scopes);
    return new ApiClient(this.service, this.account, key);
  }

  async signedInAgain(): Promise<ApiClient> {
    const { email, password } = this.account;
    const answer = await post(this.service, '/auth/login', { email, password });
    expect(answer.status).toBe(200);
    return new ApiClient(this.service, this.account, answer.body.access_token as string);
  }

  at(service: Service): ApiClient {
    return new ApiClient(service, this.account, this.token);
  }

  call(method: Method, path: string, body?: unknown): request.Test {
    const call = request(this.service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(this.token) });
    return body === undefined
      ? call
      : call.set('Content-Type', 'application/json').send(JSON.stringify(body));
  }

  list(query: Record<string, string | number> = {}): request.Test {
    return this.call('get', '/api/v1/urls').query(query);
  }

  show(id: string): request.Test {
    return this.call('get', `/api/v1/urls/${id}`);
  }

  update(id: string, body: unknown): request.Test {
    return this.call('patch', `/api/v1/urls/${id}`, body);
  }

  setStatus(id: string, status: unknown): request.Test {
    return this.call('patch', `/api/v1/urls/${id}/status`, { status });
  }

  remove(id: string): request.Test {
    return this.call('delete', `/api/v1/urls/${id}`);
  }

  async aLink(input: object = {}): Promise<MadeLink & { created_at: number }> {
    const body = { long_url: 'https://example.com/target', ...input };
    const answer = await this.call('post', '/api/v1/shorten', body);
    expect(answer.status).toBe(201);
    return answer.body as MadeLink & { created_at: number };
  }
}
