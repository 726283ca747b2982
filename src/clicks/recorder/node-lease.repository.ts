import type { Collection, Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import { isDuplicateKey } from '../../common/database-fault';

export const NODES = 'nodes';

export interface NodeLeaseRecord {
  /** Eight hex digits, also used for the applied batches in click stores. */
  _id: string;
  /** Folder and process that use the name; empty once the name is released. */
  holder: string;
  /** Increased regularly; shows that the holder is alive without comparing clocks. */
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

  /** Returns the holders that start with this text. */
  async findHolders(start: string): Promise<string[]> {
    const found = await this.nodes
      .find({ holder: { $gte: start, $lt: `${start}\uffff` } })
      .project<Pick<NodeLeaseRecord, 'holder'>>({ holder: 1 })
      .toArray();
    return found.map(({ holder }) => holder);
  }

  /** Returns false if the name is in use. */
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

  /** Returns false if the holder has lost the name. */
  async renew(node: string, holder: string): Promise<boolean> {
    const { matchedCount } = await this.nodes.updateOne(
      { _id: node, holder },
      { $inc: { renewals: 1 } },
    );
    return matchedCount === 1;
  }

  /** Frees the name for reuse; no click store may still contain its batches. */
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
