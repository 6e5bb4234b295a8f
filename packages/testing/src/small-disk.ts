import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { leftOut } from './left-out.ts'
import { scratchFolder } from './sweep.ts'

/** A disk of its own that can be filled: `fill` leaves no byte, `clear` takes the filling away. */
export type SmallDisk = Readonly<{ folder: string; fill: () => Promise<void>; clear: () => Promise<void>; remove: () => Promise<void> }>

const mounts = (folder: string, megabytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder]).status === 0

/** Null where this user may not mount one; says so. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | null> {
  const folder = await scratchFolder()
  if (!mounts(folder, megabytes)) {
    leftOut('full-disk', 'this user may not mount a tmpfs.')
    return null
  }
  const filling = join(folder, 'filling')
  return {
    folder,
    fill: async () => {
      const piece = Buffer.alloc(2 ** 20)
      for (let size = 1; ; size++) {
        const full = await writeFile(filling, piece, { flag: 'a' }).then(
          () => false,
          (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
        )
        if (full) return
        if (size > megabytes) throw new Error(`the disk took more than ${megabytes} MB`)
      }
    },
    clear: () => rm(filling),
    remove: async () => {
      spawnSync('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
