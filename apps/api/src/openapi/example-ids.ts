/** The ids that the examples of all operations share. */
export const exampleIds = {
  accountId: 'a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
};
