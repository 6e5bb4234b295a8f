import type { Logger } from '@tidings/observability/log'

/** A logger that keeps the errors of its lines in `faults`, and its sentences in `said`. */
export function recordingLogger(faults: unknown[] = [], said: string[] = []): Logger {
  const note = (line: unknown, sentence?: string): void => {
    if (typeof line === 'string') said.push(line)
    else if (typeof line === 'object' && line !== null && 'err' in line) faults.push(line.err)
    if (sentence !== undefined) said.push(sentence)
  }
  return { info: note, warn: note, error: note }
}
