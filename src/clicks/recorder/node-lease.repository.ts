import type { Collection, Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import { isDuplicateKey } from '../../common/database-fault';

export const NODES = 'nodes';

export interface NodeLeaseRecord {
  /** Eight hex digits, as in the applied batches of click stores. */
  _id: string;
  /** Location and process; empty if the name was released. */
  holder: string;
  /** Incremented while the holder lives; detects a live holder without comparing clocks. */
  renewals: number;
}

export class NodeLeaseRepository {
  private readonly nodes: Collection<NodeLeaseRecord>;

  constructor(connection: Connection) {
    this.nodes = connection.collection<NodeLeaseRecord>(NODES);
  }

  find(node: string): Promise<NodeLeaseRecord | null> {
    return this.nodes.findOne({ _id: node });
  }

  findHeldBy(holder: string): Promise<NodeLeaseRecord | null> {
    return this.nodes.findOne({ holder });
  }

  /** Holders with this prefix. */
  async findHolders(start: string): Promise<string[]> {
    const found = await this.nodes
      .find({ holder: { $gte: start, $lt: `${start}\uffff` } })
      .project<Pick<NodeLeaseRecord, 'holder'>>({ holder: 1 })
      .toArray();
    return found.map(({ holder }) => holder);
  }

  /** False if the name is held. */
  async claim(node: string, holder: string): Promise<boolean> {
    try {
      await this.nodes.insertOne({ _id: node, holder, renewals: 1 }, DURABLE);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async handOver({ _id, holder, renewals }: NodeLeaseRecord, to: string): Promise<boolean> {
    const { modifiedCount } = await this.nodes.updateOne(
      { _id, holder, renewals },
      { $set: { holder: to }, $inc: { renewals: 1 } },
      DURABLE,
    );
    return modifiedCount === 1;
  }

  /** False if the holder has lost the name. */
  async renew(node: string, holder: string): Promise<boolean> {
    const { matchedCount } = await this.nodes.updateOne(
      { _id: node, holder },
      { $inc: { renewals: 1 } },
    );
    return matchedCount === 1;
  }

  /** Frees the name for reuse; no click store may still have its batches. */
  async removeHeldBy(holder: string): Promise<void> {
    await this.nodes.deleteOne({ holder }, DURABLE);
  }

  async release(node: string, holder: string): Promise<void> {
    await this.nodes.updateOne(
      { _id: node, holder },
      { $set: { holder: '' }, $inc: { renewals: 1 } },
      DURABLE,
    );
  }
}
