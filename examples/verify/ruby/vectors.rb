# Runs ../vectors.json, or the file of the first argument.
require 'json'
require_relative 'verify'

def verify(vector)
  headers = vector['headers']
  body = vector['body_base64'].unpack1('m0')
  return Callbacks.verify_signature(vector['webhook_id'], vector['bearer'], headers, body) if vector['scheme'] == 'signature'

  Callbacks.verify_standard_webhook(vector['secret'], headers, body, vector['now'].to_i)
end

def result_of(vector)
  verify(vector) ? 'genuine' : 'refused'
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
