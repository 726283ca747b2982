import type { Collection, Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import { isDuplicateKey } from '../../common/database-fault';

/** Collection of the recording nodes of all services on a database. */
export const NODES = 'nodes';

/** The recorder that holds a node's name. */
export interface NodeLeaseRecord {
  /** Eight hex digits, as in the applied batches of the click stores. */
  _id: string;
  /** The place that holds the name and the process there; empty when it was given back. */
  holder: string;
  /** Rises while the holder lives; two different values tell that it does, whatever clocks say. */
  renewals: number;
}

/** The only reader and writer of the collection `nodes`. */
export class NodeLeaseRepository {
  private readonly nodes: Collection<NodeLeaseRecord>;

  constructor(connection: Connection) {
    this.nodes = connection.collection<NodeLeaseRecord>(NODES);
  }

  find(node: string): Promise<NodeLeaseRecord | null> {
    return this.nodes.findOne({ _id: node });
  }

  /** The name that a holder of one has. */
  findHeldBy(holder: string): Promise<NodeLeaseRecord | null> {
    return this.nodes.findOne({ holder });
  }

  /** Holders that begin so. */
  async findHolders(start: string): Promise<string[]> {
    const found = await this.nodes
      .find({ holder: { $gte: start, $lt: `${start}\uffff` } })
      .project<Pick<NodeLeaseRecord, 'holder'>>({ holder: 1 })
      .toArray();
    return found.map(({ holder }) => holder);
  }

  /** Takes a name that nobody has; false when somebody has it. */
  async claim(node: string, holder: string): Promise<boolean> {
    try {
      await this.nodes.insertOne({ _id: node, holder, renewals: 1 }, DURABLE);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Gives the name to another holder; false when it changed since it was read. */
  async handOver({ _id, holder, renewals }: NodeLeaseRecord, to: string): Promise<boolean> {
    const { modifiedCount } = await this.nodes.updateOne(
      { _id, holder, renewals },
      { $set: { holder: to }, $inc: { renewals: 1 } },
      DURABLE,
    );
    return modifiedCount === 1;
  }

  /** Shows that the holder lives; false when it holds the name no more. */
  async renew(node: string, holder: string): Promise<boolean> {
    const { matchedCount } = await this.nodes.updateOne(
      { _id: node, holder },
      { $inc: { renewals: 1 } },
    );
    return matchedCount === 1;
  }

  /** Frees the name for whoever takes it, of which no click store may know a batch any more. */
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
