/** Of every command. */
export const json = ['--json', 'print one JSON document on stdout and nothing else', false] as const

/** Of what belongs to a workspace. */
export const ofWorkspace = ['--workspace <slug>', 'the workspace'] as const
