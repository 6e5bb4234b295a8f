export type SubjectRef = Readonly<{ workspaceId: string; subject: string }>

/** One version of a subject's key as it is stored; `wrapped` is null where it was shredded. */
export type StoredKey = Readonly<{ version: number; wrapped: Buffer | null }>

/**
 * Where wrapped keys live. Answers come in the order of the question.
 * What `ensure` answers is durable; of several who ensure one subject at once all get the same key.
 */
export type KeyStore = Readonly<{
  /** Every version of each subject's key; none where the subject never had one. */
  load: (refs: readonly SubjectRef[]) => Promise<readonly (readonly StoredKey[])[]>
  /** As `load`; a subject without any version gets `wrapped` as its first. */
  ensure: (refs: readonly (SubjectRef & Readonly<{ wrapped: Buffer }>)[]) => Promise<readonly (readonly StoredKey[])[]>
  /** Destroys every version and leaves a tombstone, also for a subject that has no key yet. */
  shred: (ref: SubjectRef) => Promise<void>
  /** The stored secret of the workspace: `wrapped`, or the one that was there before. */
  ensureSecret: (workspaceId: string, wrapped: Buffer) => Promise<Buffer>
  masterKeys: () => Promise<ReadonlyMap<string, Buffer>>
  /** Keeps what is already stored under the id. */
  addMasterKey: (id: string, checkValue: Buffer) => Promise<void>
}>
