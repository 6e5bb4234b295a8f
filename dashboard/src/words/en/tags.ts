import { isolated } from '../isolated.ts'

export const tagsWords = {
  tags: {
    title: 'Tags',
    empty: 'A tag is a word by which you find your campaigns again.',
    add: 'New tag',
    create: 'Create tag',
    name: 'Name',
    nameHelp: 'At most 60 characters. It never changes.',
    color: 'Colour',
    colors: {
      neutral: 'neutral',
      primary: 'primary',
      accent: 'accent',
      warn: 'warning',
      danger: 'danger',
      info: 'information',
      violet: 'violet',
    },
    noColor: 'none',
    changeTitle: 'Change the colour',
    changeOf: (name: string) => `Change: ${isolated(name)}`,
  },
}
