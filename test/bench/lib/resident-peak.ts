import { residentMb } from './cpu.ts'

/** Looks at a process four times a second; `stop` answers the most memory it was seen with, in MB. */
export function residentPeak(pid: number): Readonly<{ stop: () => Promise<number> }> {
  let most = 0
  const look = async (): Promise<void> => {
    most = Math.max(most, (await residentMb(pid)) ?? 0)
  }
  const timer = setInterval(() => void look(), 250)
  return {
    stop: async () => {
      clearInterval(timer)
      await look()
      return most
    },
  }
}
