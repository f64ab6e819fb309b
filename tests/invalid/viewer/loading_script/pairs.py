print('a loading script')
