import { plural } from './plural.ts'

export const fileWords = {
  file: {
    title: 'Workspace file',
    present: 'This workspace as a file',
    presentText: 'The present file',
    presentHelp: 'As `tidings apply` reads it. Nothing secret is in it: no users, API keys or connectors.',
    download: 'Download',
    given: 'Apply a file',
    givenHelp:
      'What the file says is made so; what it leaves out stays as it is, and nothing is deleted. First you see what it would change.',
    text: 'The file',
    textHelp: 'YAML or JSON, at most 1 000 000 characters.',
    choose: 'Choose a file',
    ask: 'See the difference',
    mistakes: {
      tooLarge: 'The file is too large: apply it in parts.',
      notText: 'The file is no text in UTF-8.',
      notRead: 'The file could not be read.',
    },
    changed: 'Somebody changed the workspace meanwhile. This is what the file would change now.',
    nothing: 'The workspace is as the file says: it would change nothing.',
    difference: 'What the file would change',
    changes: (count: number) => `It would make ${plural(count, 'change', 'changes')}`,
    apply: 'Apply the file',
    progressLabel: 'Applied',
    progress: (done: number, of: number) => `${done} of ${of} done.`,
    applied: 'The file is applied.',
  },
}
