// In whose name does Lull write? The server keeps account of who wrote which field (managedFields); `lull install` has a name of its own.
export const fieldManager = 'lull';
