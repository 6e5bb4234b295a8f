import type { Pool } from 'pg'
import { headsAbove, type SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import type { GrowingTree } from '../tree/growing-tree.ts'
import { readTreeSize } from '../tree-tables.ts'

const PAGE = 1_000

type Checked = Readonly<{ pool: Pool; key: LogKey; latest: string }>

/** Compares the kept heads with a tree that grows, in their order. */
export class HeadChecks {
  readonly #pool: Pool
  readonly #key: LogKey
  readonly #latest: string
  #above: number
  #heads: SignedHead[] = []
  #areAllRead = false
  #checked = 0

  /** `latest`: no head is dated later. */
  constructor({ pool, key, latest }: Checked, above: number) {
    this.#pool = pool
    this.#key = key
    this.#latest = latest
    this.#above = above
  }

  get checked(): number {
    return this.#checked
  }

  /** Whether there may be a head of this size. */
  isDue(size: number): boolean {
    const next = this.#heads[0]
    return next === undefined ? !this.#areAllRead : next.statement.size <= size
  }

  /** What is wrong with the head of this size, where there is one. */
  async check(tree: GrowingTree): Promise<readonly string[]> {
    const head = await this.#next()
    return head?.statement.size === tree.size ? this.#problems(head, tree.root().toString('hex')) : []
  }

  /** What is wrong with the heads beyond the end of the tree. The tree may have grown since it was read, and a head been signed. */
  async rest(): Promise<readonly string[]> {
    const problems: string[] = []
    for (let head = await this.#next(); head !== null; head = await this.#next()) {
      const size = (await readTreeSize(this.#pool))?.size ?? 0
      if (head.statement.size <= size) break
      problems.push(...this.#problems(head, null))
    }
    return problems
  }

  async #next(): Promise<SignedHead | null> {
    if (this.#heads.length === 0 && !this.#areAllRead) {
      this.#heads = [...(await headsAbove(this.#pool, this.#above, PAGE, this.#key))]
      this.#areAllRead = this.#heads.length < PAGE
    }
    return this.#heads[0] ?? null
  }

  #problems({ statement, signature }: SignedHead, root: string | null): readonly string[] {
    this.#above = statement.size
    this.#heads.shift()
    this.#checked += 1
    const what = `The tree head of ${statement.size} events (${statement.at})`
    if (!this.#key.isSigned(statement, signature)) return [`${what} is forged: the key of the log did not sign it.`]
    if (root === null) return [`${what} has more events than the tree: the log was cut, or an older backup was restored.`]
    return [
      ...(root === statement.root ? [] : [`${what} is of another history: the leaves of the tree were replaced.`]),
      ...(statement.at > this.#latest ? [`${what} is dated later than now.`] : []),
    ]
  }
}
