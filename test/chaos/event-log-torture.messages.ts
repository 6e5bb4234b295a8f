/** What a writer process tells the test, in batches: only what an append has answered. */
export type Acked = Readonly<{ stream: string; ids: readonly string[]; revision: number; position: string }>

export type Report = Readonly<{
  acked: readonly Acked[]
  /** Deliberate repetitions of acknowledged appends, and those answered `duplicate` with the same revision and position. */
  resent: number
  resentRecognised: number
  /** First answers that were `duplicate`: an append whose answer a crash had swallowed was found stored. */
  foundStored: number
  refused: number
}>

export type WriterOptions = Readonly<{ url: string; writer: number; streams: number; callers: number }>
