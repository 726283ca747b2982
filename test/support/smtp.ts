import { createServer, type Server, type Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { eventually } from './shared/eventually';

const USER = 'curtail';
const PASSWORD = 'p@ss:word/1';

/** A loopback SMTP server that requires a login and stores received emails. */
export class TestSmtp {
  readonly mails: ParsedMail[] = [];
  refusing = false;
  private readonly server: SMTPServer;

  private constructor() {
    this.server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      logger: false,
      onAuth: ({ username, password }, _, done) => {
        if (username === USER && password === PASSWORD) done(null, { user: USER });
        else done(new Error('wrong login'));
      },
      onRcptTo: (_, __, done) => {
        done(this.refusing ? new Error('no such mailbox') : null);
      },
      onData: (stream, _, done) => {
        void simpleParser(stream).then((mail) => {
          this.mails.push(mail);
          done();
        });
      },
    });
    // A client that disconnects must not fail the test.
    this.server.on('error', () => undefined);
  }

  static async start(): Promise<TestSmtp> {
    const smtp = new TestSmtp();
    await new Promise<void>((resolve) => smtp.server.listen(0, '127.0.0.1', resolve));
    return smtp;
  }

  get url(): string {
    const address = this.server.server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    return `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  }

  async mailTo(email: string, subject: RegExp): Promise<ParsedMail> {
    const found = () =>
      this.mails.findLast((mail) => isTo(mail, email) && subject.test(mail.subject ?? ''));
    await eventually(() => found() !== undefined);
    return found()!;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

function isTo(mail: ParsedMail, email: string): boolean {
  return !Array.isArray(mail.to) && mail.to?.value[0]?.address === email;
}

export class SilentServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
  });

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
