import type { KeyObject } from 'node:crypto'

export type SubjectKey = Readonly<{ version: number; key: KeyObject }>

/** Every version of a subject's key, newest first. None: the subject was erased. */
export type SubjectKeys = readonly SubjectKey[]
