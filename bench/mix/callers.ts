import mongoose from 'mongoose';
import { session } from '../support/session';

const PASSWORD = 'Bench-Passw0rd';
const EMAIL = 'bench@example.com';

export class Callers {
  readonly signIn = JSON.stringify({ email: EMAIL, password: PASSWORD });
  private readonly headers: string[];
  private count = 0;

  constructor(accounts: number, secret: string) {
    this.headers = Array.from({ length: accounts }, () => {
      const token = session(new mongoose.Types.ObjectId().toHexString(), secret);
      return `Authorization: Bearer ${token}`;
    });
  }

  next(): string {
    return this.headers[this.count++ % this.headers.length] ?? '';
  }

  async register(port: number): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${port}/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: this.signIn,
    });
    if (answer.status !== 201) throw new Error(`No account could be created: ${answer.status}`);
  }
}
