import { mkdir, readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { DataDir } from './data-dir.ts'
import { isLocked, type Lock, lock, ownerOf } from './lock.ts'

/**
 * The processes that serve a data directory: each has a lock file in `members/` as long as it lives. One that wants all roles has the
 * one that is called `whole`, so that there is one such process at a time.
 */
export type Members = Readonly<{
  leave: () => Promise<void>
  /** Whether another one lives. */
  others: () => Promise<boolean>
}>

const WHOLE = 'whole'

/** Joins them; one sentence when this process wants all roles and another has them. */
export async function becomeMember({ membersDir, root }: DataDir, whole: boolean): Promise<Members> {
  await mkdir(membersDir, { recursive: true, mode: 0o700 })
  const name = whole ? WHOLE : `${hostname()}-${process.pid}`.replaceAll('.', '-')
  const own: Lock = await lock(join(membersDir, name), root)
  return { leave: own.release, others: () => hasMembers(membersDir, name) }
}

/** Whether anybody but `except` serves the data directory. */
export async function hasMembers(membersDir: string, except?: string): Promise<boolean> {
  const others = (await memberNames(membersDir)).filter((name) => name !== except)
  return (await Promise.all(others.map((name) => isLocked(join(membersDir, name))))).includes(true)
}

/** Whether the holder of a lock is one of them. */
export async function isMember(membersDir: string, holder: string): Promise<boolean> {
  const names = await memberNames(membersDir)
  return (await Promise.all(names.map((name) => ownerOf(join(membersDir, name))))).includes(holder)
}

/** A name with a dot is a lock that is being taken or cleared. */
async function memberNames(membersDir: string): Promise<readonly string[]> {
  return (await readdir(membersDir).catch(() => [])).filter((name) => !name.includes('.'))
}
