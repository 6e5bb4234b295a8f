import { ThreadEnded } from '@tidings/async/threads'
import { OperationFailed } from '@tidings/config'
import { EventStoreError } from '@tidings/event-store'

const OF_THE_DISK = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EIO', 'EFBIG', 'ENAMETOOLONG', 'ELOOP']

/** A file system's refusal, or the log's, in one sentence; other errors as they are. */
export function explained(error: unknown, file: string): unknown {
  if (error instanceof EventStoreError)
    return new OperationFailed(`The export ended early, because ${error.message}. Repeated when that is mended, the call goes on.`, {
      cause: error,
    })
  if (error instanceof ThreadEnded)
    return new OperationFailed(
      `The export ended early (${error.message}). Repeated, the call goes on; with \`--threads 1\` if it happens again.`,
      { cause: error },
    )
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || !OF_THE_DISK.includes(code)) return error
  return new OperationFailed(`${file} cannot be written (${code}): make room, or name a file in a folder that you may write.`, {
    cause: error,
  })
}
