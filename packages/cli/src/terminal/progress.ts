export type Progress = Readonly<{ update: (done: number, total: number) => void; stop: () => void }>

const silent: Progress = { update: () => {}, stop: () => {} }

/** A bar on stderr while a person watches; silent in scripts. cli-progress is only loaded then. */
export async function startProgress(label: string): Promise<Progress> {
  if (!process.stderr.isTTY) return silent
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    format: `${label} [{bar}] {percentage}% | {value}/{total} | ETA {eta_formatted}`,
    stream: process.stderr,
    hideCursor: true,
  })
  bar.start(1, 0)
  return {
    update: (done, total) => {
      bar.setTotal(Math.max(total, 1))
      bar.update(done)
    },
    stop: () => bar.stop(),
  }
}
