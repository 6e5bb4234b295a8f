import { Busy } from '@tidings/commands'
import type { WorkspaceId } from '@tidings/domain'

type Limits = Readonly<{ all: number; perWorkspace: number }>

/** Runs `work` in one of the slots; throws `Busy` at once where none is free for the workspace. */
export type SendSlots = <Result>(workspaceId: WorkspaceId, work: () => Promise<Result>) => Promise<Result>

/**
 * Bounds what is sent at one time. A workspace has at most as many slots as are free: alone half of them, of n that send one part of n + 1. So one that
 * begins finds a slot, however slow the sends of the others are (M43).
 */
export function createSendSlots({ all, perWorkspace }: Limits): SendSlots {
  const used = new Map<string, number>()
  let total = 0
  return async (workspaceId, work) => {
    const mine = used.get(workspaceId) ?? 0
    if (mine >= Math.min(perWorkspace, all - total)) throw new Busy('too many passcodes are on their way')
    total++
    used.set(workspaceId, mine + 1)
    try {
      return await work()
    } finally {
      total--
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
    }
  }
}
