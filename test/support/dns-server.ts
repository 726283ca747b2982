import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { endAfterFile } from './left-running';

const TYPES = { 1: 'a', 5: 'cname', 16: 'txt', 28: 'aaaa' } as const;
const MAX_UDP = 512;
const NO_SUCH_NAME = 3;

/** A TXT record is an array of its strings. Queries for a silent name time out. */
export interface DnsRecords {
  readonly txt?: readonly (readonly string[])[];
  readonly cname?: string;
  readonly a?: readonly string[];
  readonly silent?: true;
}

export class DnsServer {
  readonly records = new Map<string, DnsRecords>();
  readonly asked: string[] = [];

  private constructor(
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
  ) {
    udp.on('message', (question, { port, address }) => {
      const answer = this.answer(question, MAX_UDP);
      if (answer !== null) udp.send(answer, port, address);
    });
    tcp.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<DnsServer> {
    for (;;) {
      const tcp = createServer();
      tcp.listen(0, '127.0.0.1');
      await once(tcp, 'listening');
      const udp = createSocket('udp4');
      const isBound = await new Promise<boolean>((resolve) => {
        udp.once('error', () => resolve(false));
        udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1', () => resolve(true));
      });
      if (!isBound) {
        tcp.close();
        continue;
      }
      const server = new DnsServer(udp, tcp);
      endAfterFile(() => server.stop());
      return server;
    }
  }

  get address(): string {
    return `127.0.0.1:${(this.tcp.address() as AddressInfo).port}`;
  }

  /** Sets a name's ownership record. Removes the record if there are no values. */
  prove(fqdn: string, ...values: string[]): void {
    this.records.set(`_curtail.${fqdn}`, { txt: values.map((value) => [value]) });
  }

  stop(): void {
    if (this.tcp.listening) {
      this.tcp.close();
      this.udp.close();
    }
  }

  private serve(socket: Socket): void {
    let read = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
        const length = read.readUInt16BE(0);
        const answer = this.answer(read.subarray(2, 2 + length), 65_535);
        read = read.subarray(2 + length);
        if (answer !== null) socket.write(Buffer.concat([uint16(answer.length), answer]));
      }
    });
  }

  private answer(question: Buffer, room: number): Buffer | null {
    const labels: string[] = [];
    let at = 12;
    for (let size = question[at] ?? 0; size > 0; size = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + size));
      at += size + 1;
    }
    const type = TYPES[question.readUInt16BE(at + 1) as keyof typeof TYPES];
    const name = labels.join('.').toLowerCase();
    this.asked.push(`${type} ${name}`);
    const records = this.records.get(name);
    if (records?.silent) return null;
    const echoed = question.subarray(12, at + 5);
    const answers = this.answersTo(name, type);
    const code = records === undefined ? NO_SUCH_NAME : 0;
    const whole = message(question, code, echoed, answers);
    return whole.length <= room ? whole : message(question, 0x0200, echoed, []);
  }

  private answersTo(name: string, type: (typeof TYPES)[keyof typeof TYPES]): Buffer[] {
    const records = this.records.get(name) ?? {};
    if (records.cname !== undefined) {
      const alias = record(name, 5, nameBytes(records.cname));
      return type === 'cname' ? [alias] : [alias, ...this.answersTo(records.cname, type)];
    }
    if (type === 'txt') {
      return (records.txt ?? []).map((strings) =>
        record(
          name,
          16,
          Buffer.concat(strings.map((text) => Buffer.from([text.length, ...Buffer.from(text)]))),
        ),
      );
    }
    if (type !== 'a') return [];
    return (records.a ?? []).map((ip) => record(name, 1, Buffer.from(ip.split('.').map(Number))));
  }
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const record = (name: string, type: number, data: Buffer): Buffer =>
  Buffer.concat([
    nameBytes(name),
    Buffer.from([0, type, 0, 1, 0, 0, 0, 0]),
    uint16(data.length),
    data,
  ]);

/** @param flags response code and truncation bit */
function message(question: Buffer, flags: number, echoed: Buffer, answers: Buffer[]): Buffer {
  const head = [question.subarray(0, 2), uint16(0x8180 | flags), uint16(1), uint16(answers.length)];
  return Buffer.concat([...head, uint16(0), uint16(0), echoed, ...answers]);
}
