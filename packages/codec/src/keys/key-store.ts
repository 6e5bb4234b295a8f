import type { KeyObject } from 'node:crypto'
import type { DetailKind, WorkspaceId } from '@tidings/domain'

export type SubjectKey = Readonly<{ version: number; key: KeyObject }>

/** Every version of a subject's key, newest first. None: the subject was erased. */
export type SubjectKeys = readonly SubjectKey[]

export type SubjectRef = Readonly<{ workspaceId: WorkspaceId; subject: string }>

/** One version of a subject's key as it is stored; `wrapped` is null where it was shredded. */
export type StoredKey = Readonly<{ version: number; wrapped: Buffer | null }>

/** A master key as the store knows it. While it replaces another: which one, and itself sealed under that. */
export type KnownMasterKey = Readonly<{ checkValue: Buffer; replaces: string | null; sealed: Buffer | null; retired: boolean }>

/** The details of this kind have ended in all weeks before `until`, a Monday such as 2026-11-23. */
export type EndedRow = Readonly<{ workspaceId: WorkspaceId; kind: DetailKind; until: string }>

/** A key that a former master key derived. */
export type StoredPurposeKey = Readonly<{ masterKeyId: string; purpose: string; wrapped: Buffer }>

/**
 * Where wrapped keys live. Results are in the order of the arguments.
 * The result of `ensure` is durable; concurrent calls for one subject get the same key.
 */
export type KeyStore = Readonly<{
  /** Every version of each subject's key; none where the subject never had one. */
  load: (refs: readonly SubjectRef[]) => Promise<readonly (readonly StoredKey[])[]>
  /** Like `load`; a subject without any version gets `wrapped` as its first, or none where the master key that wrapped it was retired. */
  ensure: (refs: readonly (SubjectRef & Readonly<{ wrapped: Buffer }>)[]) => Promise<readonly (readonly StoredKey[])[]>
  /** Destroys every version and leaves a tombstone, also for a subject that has no key yet. */
  shred: (ref: SubjectRef) => Promise<void>
  endedDetails: () => Promise<readonly EndedRow[]>
  /** Marks the weeks as ended and destroys their keys, in one step; never takes an end back. */
  endDetails: (ended: EndedRow) => Promise<void>
  /** The stored secret of the workspace: `wrapped`, or the one that was there before. Null where neither may be: as with `ensure`. */
  ensureSecret: (workspaceId: WorkspaceId, wrapped: Buffer) => Promise<Buffer | null>
  masterKeys: () => Promise<ReadonlyMap<string, KnownMasterKey>>
  purposeKeys: () => Promise<readonly StoredPurposeKey[]>
  /** The master keys that anything is wrapped under. Reads every key. */
  masterKeysInUse: () => Promise<readonly string[]>
  /** Changes nothing where the id is already stored. */
  addMasterKey: (id: string, checkValue: Buffer) => Promise<void>
}>
