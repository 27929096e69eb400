# Runs ../vectors.json, or the file of the first argument.
require 'json'
require_relative 'verify'

def find_problem(vector)
  headers = vector['headers']
  body = vector['body_base64'].unpack1('m0')
  return Callbacks.find_signature_problem(vector['webhook_id'], vector['bearer'], headers, body) if vector['scheme'] == 'signature'

  Callbacks.find_standard_webhook_problem(vector['secret'], headers, body, vector['now'].to_i)
end

def result_of(vector)
  problem = find_problem(vector)
  return 'genuine' if problem.nil?

  problem == vector['reason'] ? 'refused' : problem
rescue ArgumentError
  'error'
end

vectors = JSON.parse(File.read(ARGV[0] || "#{__dir__}/../vectors.json"))
passed = vectors.count do |vector|
  result = result_of(vector)
  puts "FAILED #{vector['name']}: expected #{vector['expected']}, got #{result}" if result != vector['expected']
  result == vector['expected']
end
puts "#{passed} of #{vectors.length} vectors passed"
exit passed == vectors.length
